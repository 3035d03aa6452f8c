"""Hides the sensitive parts of a value by following `sensitive_attributes` paths through its JSON.

Attributes are stored without their types, so some JSON is ambiguous: an array may be a list or a set, and
`{"value": …, "type": …}` an object or a wrapped value of dynamic type. If a value is ambiguous or a path cannot be
followed, too much is hidden rather than too little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Raw

from statefmt.formats.versions.decode import array_elements, object_members
from statefmt.golang.normalize import nfc
from statefmt.model.cty import Path
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.partial import Partial
from statefmt.redaction.path_text import step_key

_NUMBER: Final = frozenset(b"-0123456789")
_WRAPPING: Final = {"value", "type"}


def hide(value: Raw, paths: Sequence[Path]) -> Partial:
    """Replace the part at the end of each path by HIDDEN; other parts stay JSON text.

    A path whose first step names a missing attribute hides nothing; a path that fails further down hides the
    object, array or scalar where it fails.
    """
    try:
        return _hide(value, paths, is_root=True)
    except RecursionError:
        return HIDDEN


def _hide(value: Raw, paths: Sequence[Path], *, is_root: bool = False) -> Partial:
    if not paths:
        return value
    if not all(paths):
        return HIDDEN
    first = memoryview(value)[0]
    if first == ord("{"):
        return _hide_in_object(value, paths, is_root)
    if first == ord("["):
        return _hide_in_array(value, paths)
    return value if first == ord("n") else HIDDEN


def _hide_in_object(value: Raw, paths: Sequence[Path], is_root: bool) -> Partial:
    members = object_members(value)
    # cty normalizes names to NFC; names in the file need not be normalized.
    below: dict[str, list[Path]] = {nfc(name): [] for name in members}
    is_wrapping = members.keys() == _WRAPPING
    for path in paths:
        name = step_key(path[0])
        found = below.get(nfc(name)) if isinstance(name, str) else None
        if found is not None:
            found.append(path[1:])
        if is_wrapping:
            below["value"].append(path)
        elif found is None and (not is_root or not isinstance(name, str)):
            return HIDDEN
    return {name: _hide(part, below[nfc(name)]) for name, part in members.items()}


def _hide_in_array(value: Raw, paths: Sequence[Path]) -> Partial:
    elements = array_elements(value)
    below: dict[int, list[Path]] = {}
    for path in paths:
        place = step_key(path[0])
        if not isinstance(place, int) or not 0 <= place < len(elements):
            # The path may lead to an element of a set, whose key is its value.
            return HIDDEN
        below.setdefault(place, []).append(path[1:])
    if any(memoryview(element)[0] in _NUMBER for element in elements):
        # May be a set of numbers.
        return HIDDEN
    return [_hide(element, below.get(place, ())) for place, element in enumerate(elements)]
