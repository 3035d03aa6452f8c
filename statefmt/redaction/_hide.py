"""Hides the sensitive parts of a value: those that `sensitive_attributes` marks, and those that are known to be secret.

Attributes are stored without their types, so some JSON is ambiguous: an array may be a list or a set, and
`{"value": …, "type": …}` an object or a wrapped value of dynamic type. If a value is ambiguous or a path cannot be
followed, too much is hidden rather than too little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec import Raw

from statefmt.formats.versions import array_elements, object_members
from statefmt.golang.normalize import nfc
from statefmt.model.cty import Path
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.partial import Partial
from statefmt.redaction.path_text import step_key

_NUMBER: Final = frozenset(b"-0123456789")
_WRAPPING: Final = {"value", "type"}

# Returns what to put in place of a part.
_Placeholder: TypeAlias = Callable[[Raw], Hidden]


def _hidden(part: Raw) -> Hidden:
    return HIDDEN


def hide(
    value: Raw, paths: Sequence[Path], placeholder: _Placeholder = _hidden, known: Sequence[Sequence[str | int]] = ()
) -> Partial:
    """Replace the part at the end of each path by a placeholder, HIDDEN by default; other parts stay JSON text.

    `paths` are marks: one whose first step names a missing attribute hides nothing; one that fails further down hides
    the object, array or scalar where it fails. `known` are names and positions in the JSON itself; a path that fails
    hides where it fails.
    """
    try:
        return _hide(value, paths, known, placeholder, is_root=True)
    except RecursionError:
        return placeholder(value)


def _hide(
    value: Raw,
    paths: Sequence[Path],
    known: Sequence[Sequence[str | int]],
    placeholder: _Placeholder,
    *,
    is_root: bool = False,
) -> Partial:
    if not paths and not known:
        return value
    if not all(paths) or not all(known):
        return placeholder(value)
    first = memoryview(value)[0]
    if first == ord("{"):
        return _hide_in_object(value, paths, known, placeholder, is_root)
    if first == ord("["):
        return _hide_in_array(value, paths, known, placeholder)
    return value if first == ord("n") and not known else placeholder(value)


def _hide_in_object(
    value: Raw, paths: Sequence[Path], known: Sequence[Sequence[str | int]], placeholder: _Placeholder, is_root: bool
) -> Partial:
    members = object_members(value)
    # cty normalizes names to NFC; names in the file need not be normalized.
    below: dict[str, list[Path]] = {nfc(name): [] for name in members}
    below_known: dict[str | int, list[Sequence[str | int]]] = {name: [] for name in members}
    is_wrapping = members.keys() == _WRAPPING
    for path in paths:
        name = step_key(path[0])
        found = below.get(nfc(name)) if isinstance(name, str) else None
        if found is not None:
            found.append(path[1:])
        if is_wrapping:
            below["value"].append(path)
        elif found is None and (not is_root or not isinstance(name, str)):
            return placeholder(value)
    for steps in known:
        if steps[0] not in below_known:
            return placeholder(value)
        below_known[steps[0]].append(steps[1:])
    return {name: _hide(part, below[nfc(name)], below_known[name], placeholder) for name, part in members.items()}


def _hide_in_array(
    value: Raw, paths: Sequence[Path], known: Sequence[Sequence[str | int]], placeholder: _Placeholder
) -> Partial:
    elements = array_elements(value)
    below: dict[int, list[Path]] = {}
    below_known: dict[int, list[Sequence[str | int]]] = {}
    for path in paths:
        place = step_key(path[0])
        if not isinstance(place, int) or not 0 <= place < len(elements):
            # The path may lead to an element of a set, whose key is its value.
            return placeholder(value)
        below.setdefault(place, []).append(path[1:])
    if paths and any(memoryview(element)[0] in _NUMBER for element in elements):
        # May be a set of numbers.
        return placeholder(value)
    for steps in known:
        index = steps[0]
        if not isinstance(index, int) or index >= len(elements):
            return placeholder(value)
        below_known.setdefault(index, []).append(steps[1:])
    return [
        _hide(element, below.get(place, ()), below_known.get(place, ()), placeholder)
        for place, element in enumerate(elements)
    ]
