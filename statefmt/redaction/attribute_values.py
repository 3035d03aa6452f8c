"""Reads single attributes, identities and outputs: at a path, from many objects, or with sensitive parts withheld.

A withheld part is hidden like HIDDEN, but can be recovered on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import container_at
from statefmt.formats.versions import object_members
from statefmt.golang import JSONValue, Members, encode_string
from statefmt.model.errors import MissingPathError, SelectionError
from statefmt.model.snapshot import OutputValue, ResourceInstanceObject
from statefmt.redaction.object_value import (
    FLAT_COUNTS,
    attributes_value,
    hide,
    identity_steps,
    output_steps,
    secret_steps,
    sensitive_paths,
    shown_flat,
    sounds_secret,
    unwrapped,
)
from statefmt.redaction.partial import HIDDEN, Hidden, Partial, decoded, parse_path, parse_path_pattern, path_text


class ValueReader:
    """Reads the values at a path: `tags.Owner`, `ingress[*].port`, or the name of a flat attribute: `tags.%`.

    `problem` is the error if only flat attributes can have such a path.
    """

    def __init__(self, path: str, *, show_sensitive: bool = False) -> None:
        self._path = path
        self._show_sensitive = show_sensitive
        self._steps: Sequence[str | int | None] | None = None
        self.problem: SelectionError | None = None
        try:
            self._steps = parse_path_pattern(path)
        except SelectionError as error:
            # The path may still be the name of a flat attribute.
            self.problem = error

    @property
    def name(self) -> str:
        """The name of the first attribute on the path."""
        return self._path if self._steps is None else str(self._steps[0])

    def values(self, obj: ResourceInstanceObject, type_name: str) -> list[JSONValue] | None:
        """Return the values at the path, with HIDDEN for values that may not be shown.

        Returns None if the object lacks the first attribute, and [] if the path breaks later. Raises ValueError if
        the value is nested too deeply.
        """
        if obj.attributes is None:
            return self._flat_values(obj, type_name, obj.attributes_flat or {})
        if self._steps is None:
            return None
        first, *rest = self._steps
        attributes = self._members(obj, type_name)
        if attributes is None:
            return [HIDDEN]
        if str(first) not in attributes:
            return None
        return look_up_all(decoded(unwrapped(attributes[str(first)])), rest)

    def names(self, obj: ResourceInstanceObject, type_name: str) -> Iterable[str]:
        """Return the names of the object's attributes, for an error message."""
        if obj.attributes is None:
            return obj.attributes_flat or ()
        return self._members(obj, type_name) or ()

    def _members(self, obj: ResourceInstanceObject, type_name: str) -> Mapping[str, Partial] | None:
        """Return the attributes by name, undecoded; None if they are hidden as a whole."""
        raw = obj.attributes or Raw(b"{}")
        if self._show_sensitive:
            value: Partial = raw
        else:
            value = hide(raw, sensitive_paths(obj), known=secret_steps(obj, type_name))
        if isinstance(value, Hidden):
            return None
        if isinstance(value, dict):
            return value
        try:
            return object_members(raw)
        except msgspec.ValidationError:
            # The attributes are not an object.
            return {}

    def _flat_values(
        self, obj: ResourceInstanceObject, type_name: str, flat: Mapping[str, str]
    ) -> list[JSONValue] | None:
        names = [self._path] if self._path in flat else self._fitting(flat)
        if names:
            shown = attributes_value(obj, type_name, show_sensitive=self._show_sensitive)
            values = dict(shown) if isinstance(shown, Members) else {}
            return [values[name] for name in names]
        return [] if any(name == self.name or name.startswith(f"{self.name}.") for name in flat) else None

    def _fitting(self, flat: Mapping[str, str]) -> list[str]:
        if self._steps is None:
            return []
        if None not in self._steps:
            name = ".".join(map(str, self._steps))
            return [name] if name in flat else []
        wanted = [part for step in self._steps for part in ([None] if step is None else str(step).split("."))]
        # None means any index, hash or key, but not a count.
        return [
            name
            for name in flat
            if len(parts := name.split(".")) == len(wanted)
            and all(
                part not in FLAT_COUNTS if want is None else part == want
                for part, want in zip(parts, wanted, strict=True)
            )
        ]


_MOST_NAMES: Final = 2000


def look_up(value: JSONValue, steps: Sequence[str | int]) -> JSONValue:
    """Return the value at the end of a path, or HIDDEN if the path leads into a hidden value.

    Raises MissingPathError with the nearest names if the path does not exist.
    """
    current = value
    for place, step in enumerate(steps):
        if isinstance(current, Hidden):
            return current
        if isinstance(current, list) and isinstance(step, int) and 0 <= step < len(current):
            current = current[step]
            continue
        members = dict(current) if isinstance(current, Members) else {}
        # A map key may be, or look like, the index of an element.
        if str(step) not in members:
            raise MissingPathError(_missing(current, steps, place))
        current = members[str(step)]
    return current


def look_up_all(value: JSONValue, steps: Sequence[str | int | None]) -> list[JSONValue]:
    """Return the values at the ends of a path, in which None matches every element or value; [] if there are none.

    A path ends where it leads into a hidden value.
    """
    ends = [value]
    for step in steps:
        ends = [inner for end in ends for inner in _inner(end, step)]
    return ends


def _inner(value: JSONValue, step: str | int | None) -> Sequence[JSONValue]:
    if isinstance(value, Hidden):
        return [value]
    if isinstance(value, list):
        if step is None:
            return value
        return value[step : step + 1] if isinstance(step, int) and step >= 0 else ()
    members: dict[str, JSONValue] = dict(value) if isinstance(value, Members) else {}
    if step is None:
        return list(members.values())
    return [members[str(step)]] if str(step) in members else ()


def _missing(current: JSONValue, steps: Sequence[str | int], place: int) -> str:
    path = path_text(steps[: place + 1])
    holder = path_text(steps[:place]) or "the object"
    if isinstance(current, list):
        return f"no attribute {path}: {holder} has {len(current)} element{'' if len(current) == 1 else 's'}"
    if not isinstance(current, Members):
        return f"no attribute {path}: {holder} is {'null' if current is None else 'not an object, map, list or set'}"
    near = _nearest(str(steps[place]), [name for name, _ in current])
    return _no_such(path, [path_text((*steps[:place], name)) for name in near])


def look_up_flat(value: Members, path: str) -> JSONValue:
    """Return a flat attribute by its name (`rule.0.port`) or by the equivalent path (`rule[0].port`).

    Raises MissingPathError with the nearest names if it does not exist.
    """
    members = dict(value)
    name = path
    if path not in members:
        with suppress(SelectionError):
            name = ".".join(map(str, parse_path(path)))
    if name not in members:
        raise MissingPathError(_no_such(path, _nearest(name, list(members))))
    return members[name]


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, names[:_MOST_NAMES], n=3, cutoff=0.5)


def _no_such(path: str, near: Sequence[str]) -> str:
    hint = "".join(f"\n  {name}" for name in near)
    return f"no attribute {path}" + (f"; the nearest are:{hint}" if near else "")


class Withheld(Hidden):
    """HIDDEN with the JSON text of the hidden value."""

    __slots__ = ("raw",)
    raw: Raw

    def __new__(cls, raw: Raw) -> Withheld:
        placeholder = super().__new__(cls, HIDDEN)
        placeholder.raw = raw
        return placeholder


def withheld_members(obj: ResourceInstanceObject, type_name: str) -> Mapping[str, Partial]:
    """Return the attributes of an object by name, undecoded, with a Withheld for each part that `show` hides.

    The last of repeated members counts. If all attributes are hidden, each is withheld. Flat attributes are strings.
    Returns no members if the attributes are not an object.
    """
    raw, flat = obj.attributes, obj.attributes_flat or {}
    if raw is None:
        return {
            name: Withheld(Raw(encode_string(flat[name]))) if isinstance(shown, Hidden) else shown
            for name, shown in shown_flat(obj, type_name)
        }
    if memoryview(raw)[0] != ord("{"):
        return {}
    shown = hide(raw, sensitive_paths(obj), Withheld, secret_steps(obj, type_name))
    if isinstance(shown, dict):
        return shown
    members = _members(raw)
    return {name: Withheld(part) for name, part in members.items()} if isinstance(shown, Withheld) else members


def withheld_identity(obj: ResourceInstanceObject, type_name: str) -> Mapping[str, Partial]:
    """Return the identity of an object by name, undecoded, with a Withheld for each part that `show` hides.

    These parts are sensitive as attributes, or secrets by name or shape. The last of repeated members counts. Returns
    no members without an identity, or if it is not an object.
    """
    raw = obj.identity
    if raw is None or memoryview(raw)[0] != ord("{"):
        return {}
    members = _members(raw)
    shown = hide(raw, sensitive_paths(obj), Withheld, identity_steps(obj, type_name))
    parts = shown if isinstance(shown, dict) else members
    is_hidden = isinstance(shown, Withheld)
    return {name: Withheld(members[name]) if is_hidden or sounds_secret(name) else part for name, part in parts.items()}


def withheld_output(output: OutputValue) -> Partial:
    """Return the value of an output, undecoded, with a Withheld for each part that is hidden."""
    raw = Raw(output.value)
    return Withheld(raw) if output.sensitive else hide(raw, (), Withheld, output_steps(output))


def member_value(part: Partial) -> JSONValue:
    """Decode a member, with dynamic values unwrapped. Raises ValueError if it is nested too deeply."""
    return decoded(unwrapped(part))


def withheld_paths(part: Partial, steps: Sequence[str | int] = ()) -> list[tuple[str | int, ...]]:
    """Return the paths of the withheld parts of a member, each prefixed with `steps`."""
    found: list[tuple[str | int, ...]] = []
    _add_paths(unwrapped(part), tuple(steps), found)
    return found


def _add_paths(part: Partial, steps: tuple[str | int, ...], found: list[tuple[str | int, ...]]) -> None:
    if isinstance(part, Withheld):
        found.append(steps)
    elif isinstance(part, list):
        for place, item in enumerate(part):
            _add_paths(item, (*steps, place), found)
    elif isinstance(part, (dict, Members)):
        for name, item in dict(part).items():
            _add_paths(item, (*steps, name), found)


def _members(raw: Raw) -> Mapping[str, Raw]:
    try:
        return object_members(raw)
    except RecursionError:
        # One member is nested too deeply for msgspec; the others are still readable.
        text = bytes(raw)
        return {item.name: Raw(text[item.value.start : item.value.end]) for item in container_at(text).items}
