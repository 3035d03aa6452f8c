"""Compares the two sides of a change, with sensitive parts hidden and unknown parts named.

A plan has a mask beside each value: true where the value is sensitive or unknown, and objects and arrays on the way.
Source: OpenTofu `internal/command/jsonplan/plan.go` (unknownAsBool), `internal/command/jsonstate/state.go`
(SensitiveAsBool).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Raw

from statefmt.analysis.diff.values import ValueChange, value_changes
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.lifecycle.plans.masks import decode_part, has_true, read_mask
from statefmt.lifecycle.plans.plan import Change, PlannedChange, RawPath
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.object_value import named_steps, typed_steps
from statefmt.redaction.partial import hidden_at
from statefmt.redaction.path_text import path_text
from statefmt.redaction.secrets.covered import SecretSteps


class KnownAfterApply(NumberText):
    """A string shown in place of an unknown value. Like a number, it has no quotes."""

    __slots__ = ()


KNOWN_AFTER_APPLY: Final = KnownAfterApply("(known after apply)")


def attribute_places(change: PlannedChange) -> tuple[SecretSteps, ...]:
    """Return the places in the attributes of an object, before or after, that are secrets without a mark."""
    type_name = change.address.resource.resource.type
    return typed_steps(type_name, change.change.before) + typed_steps(type_name, change.change.after)


def output_places(name: str, change: Change) -> tuple[SecretSteps, ...]:
    """Return the places in the value of an output, before or after, that are secrets without a mark."""
    return tuple(
        steps for side in (change.before, change.after) if side is not None for steps in named_steps(name, side)
    )


def change_details(
    change: Change, secret: Sequence[SecretSteps], *, show_sensitive: bool, exact: bool = False
) -> tuple[ValueChange, ...]:
    """Return where the value after a change differs from the one before; empty if only marks differ.

    `secret` are the places that are hidden without a mark. Raises ValueError if a value is nested too deeply.
    """
    if change.before == change.after and not has_true(read_mask(change.after_unknown)):
        return ()
    before, after = _value(change.before), with_unknown(_value(change.after), read_mask(change.after_unknown))
    if before == after:
        return ()
    shown = (before, after)
    if not show_sensitive:
        shown = (
            masked(hidden_at(before, secret), read_mask(change.before_sensitive)),
            masked(hidden_at(after, secret), read_mask(change.after_sensitive)),
        )
    return value_changes(before, after, *shown, exact=exact)


def replacing_paths(change: Change, *, show_sensitive: bool = False) -> tuple[str, ...]:
    """Return the paths that force a replacement, each up to the first step inside a sensitive value."""
    masks = () if show_sensitive else (read_mask(change.before_sensitive), read_mask(change.after_sensitive))
    return tuple(dict.fromkeys(_path_text(path, masks) for path in change.replace_paths))


def masked(value: JSONValue, mask: object) -> JSONValue:
    """Replace the parts where the mask is true by HIDDEN, and a part whose shape differs from that of its mask."""
    return _replaced(value, mask, lambda _: HIDDEN, HIDDEN)


def with_unknown(value: JSONValue, mask: object) -> JSONValue:
    """Put KNOWN_AFTER_APPLY where the mask is true; the value lacks these parts, or has null there."""
    return _replaced(value, mask, lambda _: KNOWN_AFTER_APPLY, KNOWN_AFTER_APPLY, adds=True)


def _replaced(
    value: JSONValue,
    mask: object,
    placeholder: Callable[[JSONValue], JSONValue],
    misfit: JSONValue,
    *,
    adds: bool = False,
) -> JSONValue:
    if mask is True:
        return placeholder(value)
    if not has_true(mask):
        return value
    if isinstance(mask, dict) and isinstance(value, Members):
        members = dict(value)
        found = {
            name: _replaced(part, mask.get(name, False), placeholder, misfit, adds=adds)
            for name, part in members.items()
        }
        if adds:
            missing = {name: part for name, part in mask.items() if name not in members and has_true(part)}
            found |= {name: _replaced(None, part, placeholder, misfit, adds=adds) for name, part in missing.items()}
        return Members(found.items())
    if isinstance(mask, list) and isinstance(value, list) and len(mask) == len(value):
        return [_replaced(part, each, placeholder, misfit, adds=adds) for part, each in zip(value, mask, strict=True)]
    return value if value is None and not adds else misfit


def _value(raw: Raw | None) -> JSONValue:
    return None if raw is None else loads_exact(bytes(raw), replace_invalid=True)


def _path_text(path: RawPath, masks: Sequence[object]) -> str:
    shown: list[str | int] = []
    masks = list(masks)
    for raw in path:
        if True in masks:
            break
        step = decode_part(raw)
        if isinstance(step, bool) or not isinstance(step, (str, int)):
            # An element of a set: its value is the step.
            break
        shown.append(step)
        masks = [_below(mask, step) for mask in masks]
    return path_text(shown)


def _below(mask: Any, step: str | int) -> object:
    if isinstance(mask, Mapping):
        return mask.get(step, False)
    if isinstance(mask, list):
        # An index may belong to the other side, whose order differs.
        return isinstance(step, int) and (mask[step] if step < len(mask) else any(map(has_true, mask)))
    return mask


def paths_text(changes: Iterable[ValueChange], most: int) -> str:
    """Return the paths of differences for a sentence, without values: `ami, tags.Owner and 2 more`."""
    paths = list(
        dict.fromkeys(path_text([step for step in one.path if isinstance(step, (str, int))]) for one in changes)
    )
    named = [path or "its value" for path in paths[:most]]
    more = len(paths) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
