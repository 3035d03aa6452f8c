"""Sensitive paths of an object held against its attributes: what they lead to, what they cover, how they read.

Attributes are JSON without their types, so a few things cannot be told: an array may be a list or a set, an object may
be a map, and `{"value": …, "type": …}` may be such an object or the wrapping of a value of any type. Where it cannot be
told, a path is given the benefit of the doubt.
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
    """The paths under `sensitive_attributes`; none where OpenTofu refuses the list, which INS003 tells."""
    raw = obj.sensitive_attributes
    return () if raw is UNSET or equals(raw, b"[]") else _paths(bytes(raw))


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    return () if problems else paths


def missing_steps(attributes: Raw, paths: Sequence[Path]) -> Iterator[int | None]:
    """For each path, the place of the first step that leads nowhere; None where there is none, or nobody can say.

    A null on the way is not missing: what is below it is just not set.
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
        # An element of a set is named by its value.
        return None
    elements = decoded.list_elements(value)
    if elements is None:
        return None
    return _missing(elements[key], path, place + 1, decoded) if 0 <= key < len(elements) else place


class Covered:
    """What paths mark, arranged by their steps: it takes no longer to ask where there are many paths."""

    def __init__(self, paths: Sequence[Path], place: int = 0) -> None:
        self._paths = paths
        self._place = place
        self._all = any(len(path) == place for path in paths)

    def __contains__(self, steps: Sequence[str | int]) -> bool:
        """Whether a path marks what stands at `steps` (names and positions in the JSON), or what that is part of."""
        return self._covers(steps, 0, past_value=False)

    def _covers(self, steps: Sequence[str | int], at: int, *, past_value: bool) -> bool:
        # `past_value`: steps "value" before this one were the wrapping of a value of any type.
        if self._all:
            return True
        if at == len(steps) or not self._paths:
            return False
        step = steps[at]
        if isinstance(step, int):
            # A path leads to an element of a set by its value.
            below = (self._by_key.get(step), self._by_other_name if past_value else self._by_name)
            return any(part is not None and part._covers(steps, at + 1, past_value=False) for part in below)
        found = None if past_value and step == "value" else self._by_key.get(step)
        if found is not None and found._covers(steps, at + 1, past_value=False):
            return True
        # Perhaps the wrapping of a value of any type.
        return step == "value" and self._covers(steps, at + 1, past_value=True)

    @cached_property
    def _by_key(self) -> Mapping[str | int, Covered]:
        """What follows each key."""
        found: dict[str | int, list[Path]] = {}
        for path in self._paths:
            key = step_key(path[self._place])
            if isinstance(key, (str, int)):
                found.setdefault(key, []).append(path)
        return {key: Covered(paths, self._place + 1) for key, paths in found.items()}

    @cached_property
    def _by_name(self) -> Covered:
        """What follows any key that is not a position."""
        paths = [path for path in self._paths if not isinstance(step_key(path[self._place]), int)]
        return Covered(paths, self._place + 1)

    @cached_property
    def _by_other_name(self) -> Covered:
        """The same without what follows "value"."""
        return Covered(
            [path for path in self._by_name._paths if step_key(path[self._place]) != "value"], self._place + 1
        )


def shown_path(path: Path, missing: int) -> str:
    """A path up to its missing step as text; a key missing may be a value, that of a set element, and is left out."""
    steps = [key for step in path[: missing + 1] if isinstance(key := step_key(step), (str, int))]
    last = path[missing]
    if isinstance(last, GetAttr) or isinstance(last.key, int):
        return path_text(steps)
    return f"{path_text(steps[:missing])}[…]"
