"""Hides the sensitive parts of a value: follows `sensitive_attributes` paths through its JSON.

Attributes are JSON without their types, so a few things cannot be told: an array may be a list or a set, and
`{"value": …, "type": …}` an object or the wrapping of a value of any type. Where it cannot be told, or where a path
cannot be followed, more is hidden rather than less.
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
    """The value with HIDDEN at the end of every path; what no path leads to stays JSON text.

    A path whose first step names nothing in an object hides nothing; one that gets lost further down hides the
    object, array or text in which it does.
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
    # cty's names are in normal form C; those of the file need not be.
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
            # An element of a set, which is named by its value.
            return HIDDEN
        below.setdefault(place, []).append(path[1:])
    if any(memoryview(element)[0] in _NUMBER for element in elements):
        # Perhaps a set of numbers.
        return HIDDEN
    return [_hide(element, below.get(place, ())) for place, element in enumerate(elements)]
