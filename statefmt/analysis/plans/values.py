"""Compares the two sides of a change, with sensitive parts hidden and unknown parts named.

A plan has a mask for each value: true if the value is sensitive or unknown, and objects and arrays for its
containers. Source: OpenTofu `internal/command/jsonplan/plan.go` (unknownAsBool),
`internal/command/jsonstate/state.go` (SensitiveAsBool).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Raw

from statefmt.analysis.diff.places import Crossing, equal_values, plain
from statefmt.analysis.diff.values import ValueChange, value_changes
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.lifecycle.plan import Change, PlannedChange, ShownPlan, decode_part, has_true, read_mask
from statefmt.model.addrs import NO_KEY, IntKey
from statefmt.model.cty import DYNAMIC, SetType, Type, element_type, member_type
from statefmt.redaction.object_value import named_steps, sounds_secret, typed_steps
from statefmt.redaction.partial import HIDDEN, hidden_at, path_text
from statefmt.redaction.secrets import SecretSteps

if TYPE_CHECKING:
    from statefmt.pairing import BlockPairing


def shown_identity(change: Change, *, show_sensitive: bool) -> JSONValue:
    """Return the identity that a change imports, None without one.

    It has no mask: hidden are members that are sensitive as attributes, and secrets by name or shape.
    """
    raw = None if change.importing is None else change.importing.identity
    identity = _value(raw)
    if raw is None or show_sensitive or not isinstance(identity, Members):
        return identity
    masks = [read_mask(mask) for mask in (change.before_sensitive, change.after_sensitive)]
    if True in masks:
        return HIDDEN
    hidden = true_names(masks)
    found = hidden_at(identity, typed_steps("", raw))
    if not isinstance(found, Members):
        return found
    return Members((name, HIDDEN if name in hidden or sounds_secret(name) else part) for name, part in found)


def true_names(masks: Iterable[object]) -> frozenset[str]:
    """Return the attributes that are sensitive by a mask, or contain sensitive parts."""
    return frozenset(name for mask in masks if isinstance(mask, dict) for name, part in mask.items() if has_true(part))


class KnownAfterApply(NumberText):
    """A string shown instead of an unknown value. Like a number, it has no quotes."""

    __slots__ = ()


KNOWN_AFTER_APPLY: Final = KnownAfterApply("(known after apply)")


def attribute_places(change: PlannedChange) -> tuple[SecretSteps, ...]:
    """Return the paths of unmarked secrets in the attributes of an object, before or after."""
    type_name = change.address.resource.resource.type
    return typed_steps(type_name, change.change.before) + typed_steps(type_name, change.change.after)


def output_places(name: str, change: Change) -> tuple[SecretSteps, ...]:
    """Return the paths of unmarked secrets in the value of an output, before or after."""
    return tuple(
        steps for side in (change.before, change.after) if side is not None for steps in named_steps(name, side)
    )


def change_details(
    change: Change,
    secret: Sequence[SecretSteps],
    *,
    show_sensitive: bool,
    exact: bool = False,
    pairing: BlockPairing | None = None,
) -> tuple[ValueChange, ...]:
    """Return the differences between the values before and after a change; empty if only marks differ.

    `secret` are the paths that are hidden without a mark; `pairing` pairs the blocks of all lists that a run
    compares. Raises ValueError if a value is nested too deeply.
    """
    if change.before == change.after and not has_true(read_mask(change.after_unknown)):
        return ()
    # Unknown parts of the value after the change are absent, or null.
    after = _replaced(_value(change.after), read_mask(change.after_unknown), KNOWN_AFTER_APPLY, adds=True)
    before = _value(change.before)
    if before == after:
        return ()
    shown = (before, after) if show_sensitive else _hidden(change, before, after, secret)
    return value_changes(before, after, *shown, exact=exact, pairing=pairing)


def _hidden(
    change: Change, before: JSONValue, after: JSONValue, secret: Sequence[SecretSteps]
) -> tuple[JSONValue, JSONValue]:
    """Return both sides of a change with their sensitive and secret parts hidden."""
    return (
        masked(hidden_at(before, secret), read_mask(change.before_sensitive)),
        masked(hidden_at(after, secret), read_mask(change.after_sensitive)),
    )


class DriftDetails(NamedTuple):
    """The changes of an object outside of OpenTofu, and the paths of attributes that differ only in form.

    The two forms of such an attribute have the same meaning: JSON in a string with other white space or another order
    of members, the elements of a set in another order, null and an empty string, list or map, a number such as 1 and
    1.0. Providers of the old SDK alternate between them, since the SDK has no null.
    """

    changes: tuple[ValueChange, ...]
    in_form: tuple[str, ...]

    @property
    def is_drift(self) -> bool:
        """Whether anything changed; if neither values nor forms differ, marks do."""
        return bool(self.changes) or not self.in_form


def drift_details(
    change: Change,
    secret: Sequence[SecretSteps],
    *,
    show_sensitive: bool,
    exact: bool = False,
    of: Type = DYNAMIC,
    pairing: BlockPairing | None = None,
) -> DriftDetails:
    """Return the differences of an object updated outside of OpenTofu. `of` is its type by the provider's schema.

    `secret` are the paths that are hidden without a mark. Raises ValueError if a value is nested too deeply.
    """
    before, after = _value(change.before), _value(change.after)
    forms = _Forms(_masks(change, show_sensitive))
    try:
        after = forms.aligned(before, after, of, ())
        if before == after:
            return DriftDetails((), tuple(forms.paths))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    shown = (before, after) if show_sensitive else _hidden(change, before, after, secret)
    return DriftDetails(value_changes(before, after, *shown, exact=exact, pairing=pairing), tuple(forms.paths))


def relevant_paths(plan: ShownPlan) -> Mapping[str, Sequence[tuple[str | int, ...]]]:
    """Return the paths of the attributes that a plan depends on, by the address of their object."""
    found: dict[str, list[tuple[str | int, ...]]] = {}
    for each in plan.relevant_attributes:
        found.setdefault(each.resource, []).append(_plain_steps(map(decode_part, each.attribute)))
    return found


def overlaps(needed: Iterable[tuple[str | int, ...]], changes: Iterable[ValueChange]) -> bool:
    """Return whether one of the paths is that of a difference, leads to it, or is inside of it."""
    changed = {_plain_steps(each.path) for each in changes}
    leading = {path[:length] for path in changed for length in range(len(path) + 1)}
    return any(path in leading or any(path[:length] in changed for length in range(len(path))) for path in needed)


def _plain_steps(path: Iterable[object]) -> tuple[str | int, ...]:
    """Return a path up to the first step into a set or into JSON inside of a string."""
    found: list[str | int] = []
    for step in path:
        if not isinstance(step, (str, int)):
            break
        found.append(step)
    return tuple(found)


class _Forms:
    """Replaces parts of a value that differ only in form from the parts of another value; `paths` names them."""

    def __init__(self, masks: Sequence[object]) -> None:
        self._masks = masks
        # An ordered set: several parts may lie within one sensitive value.
        self.paths: dict[str, None] = {}

    def aligned(self, before: JSONValue, after: JSONValue, of: Type, path: tuple[str | int, ...]) -> JSONValue:
        if before == after:
            return after
        if _same_meaning(before, after, of):
            self.paths[_steps_text(path, self._masks) or "the object"] = None
            return before
        if isinstance(before, Members) and isinstance(after, Members):
            old, new = dict(before), dict(after)
            found = {
                name: self.aligned(old.get(name), new.get(name), member_type(of, name), (*path, name))
                for name in [*old, *(new.keys() - old.keys())]
            }
            # A member that is null in one form is absent in the other.
            return Members((name, value) for name, value in found.items() if name in old or value is not None)
        if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            pairs = enumerate(zip(before, after, strict=True))
            return [self.aligned(one, other, element_type(of, place), (*path, place)) for place, (one, other) in pairs]
        return after


def _same_meaning(before: JSONValue, after: JSONValue, of: Type) -> bool:
    if _is_empty(before) and _is_empty(after):
        return True
    if isinstance(before, NumberText) and isinstance(after, NumberText):
        return equal_values(plain(before, exact=False), plain(after, exact=False))
    if isinstance(before, str) and isinstance(after, str):
        inside = Crossing.inside(before), Crossing.inside(after)
        is_json = all(isinstance(each, (Members, list)) for each in inside)
        return is_json and equal_values(*(plain(each, exact=False) for each in inside))
    if isinstance(of, SetType) and isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and Counter(map(_key, before)) == Counter(map(_key, after))
    return False


def _is_empty(value: JSONValue) -> bool:
    return value is None or (isinstance(value, (str, list, Members)) and not value)


def _key(value: JSONValue) -> str:
    """Return a string that is equal for equal elements of a set."""
    if isinstance(value, Members):
        return f"{{{','.join(sorted(f'{name!r}:{_key(item)}' for name, item in dict(value).items()))}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_key, value))}]"
    return repr(value) if not isinstance(value, NumberText) else f"number {plain(value, exact=False)}"


def replacing_paths(change: Change, *, show_sensitive: bool = False) -> tuple[str, ...]:
    """Return the paths that force a replacement, each up to the first step inside a sensitive value."""
    masks = _masks(change, show_sensitive)
    return tuple(dict.fromkeys(_steps_text(map(decode_part, path), masks) for path in change.replace_paths))


def masked(value: JSONValue, mask: object) -> JSONValue:
    """Replace the parts where the mask is true by HIDDEN, and a part whose shape differs from its mask."""
    return _replaced(value, mask, HIDDEN)


def _replaced(value: JSONValue, mask: object, placeholder: JSONValue, *, adds: bool = False) -> JSONValue:
    if mask is True:
        return placeholder
    if not has_true(mask):
        return value
    if isinstance(mask, dict) and isinstance(value, Members):
        members = dict(value)
        found = {name: _replaced(part, mask.get(name, False), placeholder, adds=adds) for name, part in members.items()}
        if adds:
            missing = {name: part for name, part in mask.items() if name not in members and has_true(part)}
            found |= {name: _replaced(None, part, placeholder, adds=adds) for name, part in missing.items()}
        return Members(found.items())
    if isinstance(mask, list) and isinstance(value, list) and len(mask) == len(value):
        return [_replaced(part, each, placeholder, adds=adds) for part, each in zip(value, mask, strict=True)]
    return value if value is None and not adds else placeholder


def _masks(change: Change, show_sensitive: bool) -> list[object]:
    """Return the masks that truncate paths; none if everything is shown."""
    return [] if show_sensitive else [read_mask(mask) for mask in (change.before_sensitive, change.after_sensitive)]


def _value(raw: Raw | None) -> JSONValue:
    return None if raw is None else loads_exact(bytes(raw), replace_invalid=True)


def _steps_text(path: Iterable[object], masks: Sequence[object]) -> str:
    """Return a path up to the first step inside a sensitive value."""
    shown: list[str | int] = []
    masks = list(masks)
    for step in path:
        if True in masks or isinstance(step, bool) or not isinstance(step, (str, int)):
            # The step to an element of a set is its value.
            break
        shown.append(step)
        masks = [_below(mask, step) for mask in masks]
    return path_text(shown)


def _below(mask: Any, step: str | int) -> object:
    if isinstance(mask, Mapping):
        return mask.get(step, False)
    if isinstance(mask, list):
        # An index may refer to the other side, whose order differs.
        return isinstance(step, int) and (mask[step] if step < len(mask) else any(map(has_true, mask)))
    return mask


def paths_text(changes: Iterable[ValueChange], most: int) -> str:
    """Return the paths of differences for a sentence, without values: `ami, tags.Owner and 2 more`."""
    paths = list(dict.fromkeys(map(_named, changes)))
    return ", ".join(paths[:most]) + (f" and {len(paths) - most} more" if len(paths) > most else "")


def _named(change: ValueChange) -> str:
    path = path_text([step for step in change.path if isinstance(step, (str, int))]) or "its value"
    return f"{path} (compared by position)" if change.by_position else path


_FIXED: Final = MappingProxyType({
    "replace_because_tainted": "it is tainted",
    "replace_by_request": "replacement was requested",
    "replace_by_triggers": "of changes in replace_triggered_by",
    "delete_because_enabled_false": "enabled is false",
    "read_because_config_unknown": "the configuration refers to values not yet known",
    "read_because_dependency_pending": "it depends on a resource or a module with changes pending",
    "read_because_check_nested": "it is read again to verify a check block",
    "forgot_because_lifecycle_destroy_in_state": "the state has lifecycle.destroy = false for it",
    "forgot_because_lifecycle_destroy_in_config": "the configuration has lifecycle.destroy = false for it",
})  # fmt: skip


def reason_text(change: PlannedChange, *, show_sensitive: bool = False) -> str:
    """Return words to follow "because"; "" if the plan gives no reason. Returns an unknown reason unchanged."""
    address = change.address
    found = _FIXED.get(change.reason)
    if found is not None:
        return found
    if change.reason == "replace_because_cannot_update":
        paths = replacing_paths(change.change, show_sensitive=show_sensitive)
        if not paths:
            return "it cannot be updated in place"
        return f"{' and '.join(paths)} cannot be updated in place"
    if change.reason == "delete_because_no_resource_config":
        return f"{address.resource.resource} is not in the configuration"
    if change.reason == "delete_because_no_move_target":
        return f"it was moved to {address}, which is not in the configuration"
    if change.reason == "delete_because_no_module":
        return f"{address.module} is not in the configuration"
    if change.reason == "delete_because_wrong_repetition":
        if address.key is NO_KEY:
            return "the resource now has count or for_each"
        return f"the resource has no {'count' if isinstance(address.key, IntKey) else 'for_each'} any more"
    if change.reason == "delete_because_count_index":
        return f"index {address.key} is out of range for count"
    if change.reason == "delete_because_each_key":
        return f"key {address.key} is not in for_each"
    if not change.reason and change.deposed:
        return "it is left over from a replacement that failed in part"
    return change.reason
