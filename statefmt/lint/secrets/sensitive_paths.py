"""Compares sensitive paths of an object with its attributes: which are missing, and what they cover.

Attributes are JSON without types, so some cases are ambiguous: an array may be a list or a set, an object may be a map,
and `{"value": …, "type": …}` may be such an object or the encoding of a dynamically typed value. Ambiguous paths get
the benefit of the doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
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


class Covered:
    """What paths mark as sensitive, as a tree of steps, so that lookups stay fast with many paths."""

    def __init__(self, paths: Sequence[Path], place: int = 0) -> None:
        self._paths = paths
        self._place = place
        self._all = any(len(path) == place for path in paths)

    def __contains__(self, steps: Sequence[str | int]) -> bool:
        """Whether a path marks the value at `steps` (names and indexes in the JSON), or a value that contains it."""
        return self._covers(steps, 0, past_value=False)

    def _covers(self, steps: Sequence[str | int], at: int, *, past_value: bool) -> bool:
        # `past_value`: a step "value" before this one belonged to the encoding of a dynamically typed value.
        if self._all:
            return True
        if at == len(steps) or not self._paths:
            return False
        step = steps[at]
        if isinstance(step, int):
            # Paths identify an element of a set by its value, not by its index.
            below = (self._by_key.get(step), self._by_other_name if past_value else self._by_name)
            return any(part is not None and part._covers(steps, at + 1, past_value=False) for part in below)
        found = None if past_value and step == "value" else self._by_key.get(step)
        if found is not None and found._covers(steps, at + 1, past_value=False):
            return True
        # This may be the encoding of a dynamically typed value.
        return step == "value" and self._covers(steps, at + 1, past_value=True)

    @cached_property
    def _by_key(self) -> Mapping[str | int, Covered]:
        """The rest of the paths, by their key at this step."""
        found: dict[str | int, list[Path]] = {}
        for path in self._paths:
            key = step_key(path[self._place])
            if isinstance(key, (str, int)):
                found.setdefault(key, []).append(path)
        return {key: Covered(paths, self._place + 1) for key, paths in found.items()}

    @cached_property
    def _by_name(self) -> Covered:
        """The rest of the paths whose key at this step is not an index."""
        paths = [path for path in self._paths if not isinstance(step_key(path[self._place]), int)]
        return Covered(paths, self._place + 1)

    @cached_property
    def _by_other_name(self) -> Covered:
        """Like `_by_name`, without the key "value"."""
        return Covered(
            [path for path in self._by_name._paths if step_key(path[self._place]) != "value"], self._place + 1
        )


def shown_path(path: Path, missing: int) -> str:
    """Format a path up to its missing step. A missing key may be the value of a set element, and is not shown."""
    steps = [key for step in path[: missing + 1] if isinstance(key := step_key(step), (str, int))]
    last = path[missing]
    if isinstance(last, GetAttr) or isinstance(last.key, int):
        return path_text(steps)
    return f"{path_text(steps[:missing])}[…]"
