"""Formats the paths in `sensitive_attributes` without revealing values.

A step to an element of a set contains that element, perhaps the secret itself: it is shown as `users[…]`.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from msgspec import Raw

from statefmt.golang.normalize import nfc
from statefmt.model.cty import GetAttr, Path
from statefmt.model.cty.path_tree import step_identity
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.decoded_once import DecodedOnce
from statefmt.redaction.object_value import sensitive_paths
from statefmt.redaction.path_text import path_text, step_key

_ELEMENT: Final = "[…]"


def mark_texts(obj: ResourceInstanceObject) -> tuple[str, ...]:
    """Return the sensitive paths of an object, each up to the first step that could reveal a value."""
    paths = sensitive_paths(obj)
    # Elements of sets are no keys of dicts themselves.
    found = {tuple(map(step_identity, path)): path for path in paths}
    # Only prefixes of these lengths can be sensitive paths themselves.
    lengths = sorted({len(path) for path in paths})
    decoded = DecodedOnce()

    def text(identity: tuple[Hashable, ...], path: Path) -> str:
        # A container that is sensitive as a whole also hides the names of its members.
        prefixes = (length for length in lengths if length < len(path) and identity[:length] in found)
        return _text(path, next(prefixes, len(path)), obj.attributes, decoded)

    return tuple(sorted({text(identity, path) for identity, path in found.items()}))


def _text(path: Path, whole: int, value: Raw | None, decoded: DecodedOnce) -> str:
    """Format a path up to step number `whole`, if it has so many."""
    steps: list[str | int] = []
    for place, step in enumerate(path):
        key = step_key(step)
        if place == whole:
            return path_text(steps) + _ELEMENT
        if isinstance(step, GetAttr):
            steps.append(step.name)
            value = _member(value, step.name, decoded)
        elif isinstance(key, str) and (member := _member(value, key, decoded)) is not None:
            steps.append(key)
            value = member
        elif isinstance(key, int) and (element := _element(value, key, decoded)) is not None:
            steps.append(key)
            value = element
        else:
            return path_text(steps) + _ELEMENT
    return path_text(steps) or "all attributes"


def _member(value: Raw | None, name: str, decoded: DecodedOnce) -> Raw | None:
    if value is None or memoryview(value)[0] != ord("{"):
        return None
    return decoded.normal_members(value).get(nfc(name))


def _element(value: Raw | None, place: int, decoded: DecodedOnce) -> Raw | None:
    """Return the element at a position of a list; None for numbers, which may be a set that contains `place`."""
    if value is None or memoryview(value)[0] != ord("["):
        return None
    elements = decoded.list_elements(value)
    return elements[place] if elements is not None and 0 <= place < len(elements) else None
