"""Caches decoded parts of JSON values, so that many paths through the same part decode it once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Raw

from statefmt.formats.versions import array_elements, object_members
from statefmt.golang.normalize import nfc

_NUMBER: Final = frozenset(b"-0123456789")


class DecodedOnce:
    """A cache of decoded objects and arrays, keyed by the identity of the value."""

    def __init__(self) -> None:
        # Entries keep their value alive, so that no other value can get its id().
        self._objects: dict[int, tuple[Raw, Mapping[str, Raw]]] = {}
        self._normal: dict[int, Mapping[str, Raw]] = {}
        self._lists: dict[int, tuple[Raw, Sequence[Raw] | None]] = {}

    def members(self, value: Raw) -> Mapping[str, Raw]:
        """Return the members of an object by name."""
        found = self._objects.get(id(value))
        if found is None:
            found = self._objects[id(value)] = (value, object_members(value))
        return found[1]

    def normal_members(self, value: Raw) -> Mapping[str, Raw]:
        """Return the members of an object by their name in NFC."""
        members = self.members(value)
        found = self._normal.get(id(value))
        if found is None:
            found = self._normal[id(value)] = {nfc(name): member for name, member in members.items()}
        return found

    def list_elements(self, value: Raw) -> Sequence[Raw] | None:
        """Return the elements of an array; None if one is a number, as the array may be a set, without indexes."""
        found = self._lists.get(id(value))
        if found is None:
            elements = array_elements(value)
            is_list = not any(memoryview(element)[0] in _NUMBER for element in elements)
            found = self._lists[id(value)] = (value, elements if is_list else None)
        return found[1]
