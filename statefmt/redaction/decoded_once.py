"""Values of which many paths lead into the same parts: each part is decoded once, however many paths there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Raw

from statefmt.formats.versions.decode import array_elements, object_members
from statefmt.golang.normalize import nfc

_NUMBER: Final = frozenset(b"-0123456789")


class DecodedOnce:
    """Gives the parts of JSON values, and remembers them by the identity of the value."""

    def __init__(self) -> None:
        # The values stay alive with their parts, so that no other gets their identity.
        self._objects: dict[int, tuple[Raw, Mapping[str, Raw], Mapping[str, Raw]]] = {}
        self._lists: dict[int, tuple[Raw, Sequence[Raw] | None]] = {}

    def members(self, value: Raw) -> Mapping[str, Raw]:
        """The members of an object, by name."""
        return self._object(value)[1]

    def normal_members(self, value: Raw) -> Mapping[str, Raw]:
        """The members of an object, by name in normal form C."""
        return self._object(value)[2]

    def list_elements(self, value: Raw) -> Sequence[Raw] | None:
        """The elements of an array; None where there is a number among them: it may be a set, and have no places."""
        found = self._lists.get(id(value))
        if found is None:
            elements = array_elements(value)
            is_list = not any(memoryview(element)[0] in _NUMBER for element in elements)
            found = self._lists[id(value)] = (value, elements if is_list else None)
        return found[1]

    def _object(self, value: Raw) -> tuple[Raw, Mapping[str, Raw], Mapping[str, Raw]]:
        found = self._objects.get(id(value))
        if found is None:
            members = object_members(value)
            normal = {nfc(name): member for name, member in members.items()}
            found = self._objects[id(value)] = (value, members, normal)
        return found
