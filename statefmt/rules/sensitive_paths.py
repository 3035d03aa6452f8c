"""Sensitive paths of an object held against its attributes: what they lead to, what they cover, how they read.

Attributes are JSON without their types, so a few things cannot be told: an array may be a list or a set, an object may
be a map, and `{"value": …, "type": …}` may be such an object or the wrapping of a value of any type. Where it cannot be
told, a path is given the benefit of the doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import UNSET, Raw

from statefmt.cty import GetAttr, Path, decode_paths
from statefmt.statefile.decode import object_members
from statefmt.statefile.raw import equals
from statefmt.statefile.v4 import InstanceObjectV4
from statefmt.values.path_text import path_text, step_key

_NUMBER: Final = frozenset(b"-0123456789")
_DYNAMIC: Final = {"value", "type"}


def sensitive_paths(obj: InstanceObjectV4) -> tuple[Path, ...]:
    """The paths under `sensitive_attributes`; none where OpenTofu refuses the list, which INS003 tells."""
    raw = obj.sensitive_attributes
    return () if raw is UNSET or equals(raw, b"[]") else _paths(bytes(raw))


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    return () if problems else paths


def missing_step(attributes: Raw, path: Path) -> int | None:
    """The place in `path` of the first step that leads nowhere; None where there is none, or where nobody can say.

    A null on the way is not missing: what is below it is just not set.
    """
    return _missing(attributes, path, 0)


def _missing(value: Raw, path: Path, place: int) -> int | None:
    if place == len(path):
        return None
    first = memoryview(value)[0]
    key = step_key(path[place])
    if first == ord("n"):
        return None
    if first == ord("{"):
        members = object_members(value)
        if members.keys() == _DYNAMIC and _missing(members["value"], path, place) is None:
            return None
        found = members.get(key) if isinstance(key, str) else None
        return place if found is None else _missing(found, path, place + 1)
    if first != ord("[") or isinstance(path[place], GetAttr):
        return place
    if not isinstance(key, int):
        # An element of a set is named by its value.
        return None
    elements = _elements(value)
    if elements is None or any(memoryview(element)[0] in _NUMBER for element in elements):
        # Perhaps a set of numbers.
        return None
    return _missing(elements[key], path, place + 1) if 0 <= key < len(elements) else place


def _elements(value: Raw) -> list[Raw] | None:
    try:
        return msgspec.json.decode(value, type=list[Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Half a surrogate pair somewhere in it.
        return None


def is_covered(steps: Sequence[str | int], paths: Sequence[Path]) -> bool:
    """Whether a path marks what stands at `steps` (names and positions in the JSON), or what that is part of."""
    return any(_covers(path, steps) for path in paths)


def _covers(path: Path, steps: Sequence[str | int]) -> bool:
    if not path:
        return True
    if not steps:
        return False
    key, step = step_key(path[0]), steps[0]
    if key == step or (isinstance(step, int) and not isinstance(key, int)):
        return _covers(path[1:], steps[1:])
    # Perhaps the wrapping of a value of any type.
    return step == "value" and _covers(path, steps[1:])


def shown_path(path: Path, missing: int) -> str:
    """A path up to its missing step as text; a key missing may be a value, that of a set element, and is left out."""
    steps = [key for step in path[: missing + 1] if isinstance(key := step_key(step), (str, int))]
    last = path[missing]
    if isinstance(last, GetAttr) or isinstance(last.key, int):
        return path_text(steps)
    return f"{path_text(steps[:missing])}[…]"
