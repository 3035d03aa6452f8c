"""Looks up values by path."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from statefmt.golang import JSONValue, Members
from statefmt.model.errors import MissingPathError, SelectionError
from statefmt.redaction.hidden import Hidden
from statefmt.redaction.path_text import parse_path, path_text

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
    """Return the values at the ends of a path, in which None leads to every element or value; [] if it has no end.

    Where the path leads into a hidden value, that is an end.
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
