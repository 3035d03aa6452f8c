"""Compares sensitive paths of an object with its attributes: which are missing.

Attributes are JSON without types, so some cases are ambiguous: an array may be a list or a set, an object may be a map,
and `{"value": …, "type": …}` may be such an object or the encoding of a dynamically typed value. Ambiguous paths get
the benefit of the doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from msgspec import UNSET, Raw

from statefmt.formats.raw_json.raw import equals
from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.model.cty import GetAttr, Path, decode_paths
from statefmt.redaction.decoded_once import DecodedOnce
from statefmt.redaction.path_text import path_text, step_key

_DYNAMIC: Final = {"value", "type"}


def sensitive_paths(obj: InstanceObjectV4) -> tuple[Path, ...]:
    """Return the paths in `sensitive_attributes`; none if OpenTofu refuses the list, which INS003 reports."""
    raw = obj.sensitive_attributes
    return () if raw is UNSET or equals(raw, b"[]") else _paths(bytes(raw))


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    return () if problems else paths


def missing_steps(attributes: Raw, paths: Sequence[Path]) -> Iterator[int | None]:
    """Yield, for each path, the index of the first step that does not exist; None if all exist or it is ambiguous.

    Nothing below a null counts as missing: it is just not set.
    """
    decoded = DecodedOnce()
    return (_missing(attributes, path, 0, decoded) for path in paths)


def _missing(value: Raw, path: Path, place: int, decoded: DecodedOnce) -> int | None:
    if place == len(path):
        return None
    first = memoryview(value)[0]
    key = step_key(path[place])
    if first == ord("n"):
        return None
    if first == ord("{"):
        members = decoded.members(value)
        if members.keys() == _DYNAMIC and _missing(members["value"], path, place, decoded) is None:
            return None
        found = members.get(key) if isinstance(key, str) else None
        return place if found is None else _missing(found, path, place + 1, decoded)
    if first != ord("[") or isinstance(path[place], GetAttr):
        return place
    if not isinstance(key, int):
        # Paths identify an element of a set by its value.
        return None
    elements = decoded.list_elements(value)
    if elements is None:
        return None
    return _missing(elements[key], path, place + 1, decoded) if 0 <= key < len(elements) else place


def shown_path(path: Path, missing: int) -> str:
    """Format a path up to its missing step. A missing key may be the value of a set element, and is not shown."""
    steps = [key for step in path[: missing + 1] if isinstance(key := step_key(step), (str, int))]
    last = path[missing]
    if isinstance(last, GetAttr) or isinstance(last.key, int):
        return path_text(steps)
    return f"{path_text(steps[:missing])}[…]"
