"""Finds where the parts of a text were before it was changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from statefmt.edit.repairs._document import LooseDocument
from statefmt.formats.writing.changes import Changes, JsonPath, MovedText


class _Array(NamedTuple):
    """A changed array: for each removed element, how many others precede it; and the origins of new elements."""

    removed: Sequence[int]
    remaining: int
    added: Sequence[JsonPath]


class Origins:
    """Leads from the parts of a text to those of the text that was read first."""

    def __init__(self) -> None:
        self._rounds: list[_Round] = []

    def note(self, data: bytes, changes: Changes) -> None:
        """Note the changes that are made to a text."""
        self._rounds.append(_Round(data, changes))

    def of(self, path: JsonPath) -> JsonPath:
        """Return where a part was in the first text. A new part was where it is, if it is no element of an array."""
        for one in reversed(self._rounds):
            path = one.before(path)
        return path


class _Round:
    def __init__(self, data: bytes, changes: Changes) -> None:
        document = LooseDocument(data)
        self._moved = {path: text.source for path, text in changes.items() if isinstance(text, MovedText)}
        touched = {path[:-1] for path, text in changes.items() if path and (text is None or path in self._moved)}
        arrays = {path for path in touched if document.is_array(path)}
        removed: dict[JsonPath, list[int]] = {path: [] for path in arrays}
        added: dict[JsonPath, list[JsonPath]] = {path: [] for path in arrays}
        for path, text in changes.items():
            if path[:-1] in arrays and text is None:
                removed[path[:-1]].append(int(path[-1]))
            elif path[:-1] in arrays and path in self._moved:
                added[path[:-1]].append(self._moved[path])
        self._arrays = {
            path: _Array(
                [place - number for number, place in enumerate(sorted(removed[path]))],
                sum(1 for _ in document.parts(path)) - len(removed[path]),
                added[path],
            )
            for path in arrays
        }

    def before(self, path: JsonPath) -> JsonPath:
        """Return where a part was before the changes."""
        there: JsonPath = ()
        for name in path:
            array = self._arrays.get(there)
            if array is None:
                there = (*there, name)
                there = self._moved.get(there, there)
                continue
            number = int(name)
            if array.remaining <= number < array.remaining + len(array.added):
                there = array.added[number - array.remaining]
            else:
                there = (*there, str(number + bisect_right(array.removed, number)))
        return there
