"""The paths under `sensitive_attributes` as text that tells no value.

A step to an element of a set holds that element, perhaps the secret itself: `users[…]` is shown instead.
"""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from statefmt.cty import GetAttr, Path
from statefmt.golang.normalize import nfc
from statefmt.statefile.decode import array_elements, object_members
from statefmt.states import ResourceInstanceObject
from statefmt.values.object_value import sensitive_paths
from statefmt.values.path_text import path_text, step_key

_ELEMENT: Final = "[…]"
_NUMBER: Final = frozenset(b"-0123456789")


def mark_texts(obj: ResourceInstanceObject) -> tuple[str, ...]:
    """The sensitive paths of an object, each up to the first step that could tell a value."""
    paths = sensitive_paths(obj)
    found = set(paths)
    return tuple(sorted({_text(path, found, obj.attributes) for path in paths}))


def _text(path: Path, paths: set[Path], value: Raw | None) -> str:
    steps: list[str | int] = []
    for place, step in enumerate(path):
        key = step_key(step)
        if path[:place] in paths:
            # What it stands in is sensitive as a whole, the names of its members too.
            return path_text(steps) + _ELEMENT
        if isinstance(step, GetAttr):
            steps.append(step.name)
            value = _member(value, step.name)
        elif isinstance(key, str) and (member := _member(value, key)) is not None:
            steps.append(key)
            value = member
        elif isinstance(key, int) and (element := _element(value, key)) is not None:
            steps.append(key)
            value = element
        else:
            return path_text(steps) + _ELEMENT
    return path_text(steps) or "all attributes"


def _member(value: Raw | None, name: str) -> Raw | None:
    if value is None or memoryview(value)[0] != ord("{"):
        return None
    return {nfc(known): member for known, member in object_members(value).items()}.get(nfc(name))


def _element(value: Raw | None, place: int) -> Raw | None:
    """The element at a place of a list; None for numbers, which may be a set of which `place` is an element."""
    if value is None or memoryview(value)[0] != ord("["):
        return None
    elements = array_elements(value)
    if not 0 <= place < len(elements) or any(memoryview(element)[0] in _NUMBER for element in elements):
        return None
    return elements[place]
