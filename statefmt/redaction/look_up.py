"""Finds one value inside another, by a path."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Final

from statefmt.golang import JSONValue, Members
from statefmt.model.errors import SelectionError
from statefmt.redaction.hidden import Hidden
from statefmt.redaction.path_text import parse_path, path_text

_MOST_NAMES: Final = 2000


def look_up(value: JSONValue, steps: Sequence[str | int]) -> JSONValue:
    """What stands at the end of some steps, HIDDEN where they lead into something hidden.

    Raises SelectionError where they lead nowhere, with the nearest names.
    """
    current = value
    for place, step in enumerate(steps):
        if isinstance(current, Hidden):
            return current
        if isinstance(current, list) and isinstance(step, int) and 0 <= step < len(current):
            current = current[step]
            continue
        members = dict(current) if isinstance(current, Members) else {}
        # A map may have the number of an element, or what looks like one, as a key.
        if str(step) not in members:
            raise SelectionError(_missing(current, steps, place))
        current = members[str(step)]
    return current


def _missing(current: JSONValue, steps: Sequence[str | int], place: int) -> str:
    path = path_text(steps[: place + 1])
    holder = path_text(steps[:place]) or "the object"
    if isinstance(current, list):
        return f"there is no {path}: {holder} has {len(current)} element{'' if len(current) == 1 else 's'}"
    if not isinstance(current, Members):
        return f"there is no {path}: {holder} is {'null' if current is None else 'no object, map, list or set'}"
    near = _nearest(str(steps[place]), [name for name, _ in current])
    return _no_such(path, [path_text((*steps[:place], name)) for name in near])


def look_up_flat(value: Members, path: str) -> JSONValue:
    """A flat attribute by its own name (`rule.0.port`), or by the path that it stands for (`rule[0].port`).

    Raises SelectionError where there is none, with the nearest names.
    """
    members = dict(value)
    name = path
    if path not in members:
        with suppress(SelectionError):
            name = ".".join(map(str, parse_path(path)))
    if name not in members:
        raise SelectionError(_no_such(path, _nearest(name, list(members))))
    return members[name]


def _nearest(name: str, names: Sequence[str]) -> list[str]:
    """The few names that may have been meant."""
    return get_close_matches(name, names[:_MOST_NAMES], n=3, cutoff=0.5)


def _no_such(path: str, near: Sequence[str]) -> str:
    hint = "".join(f"\n  {name}" for name in near)
    return f"there is no {path}" + (f"; the nearest are:{hint}" if near else "")
