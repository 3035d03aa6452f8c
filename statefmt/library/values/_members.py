"""Shows the members of a JSON object in a state as a mapping of Python values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, NoReturn, Self, TypeVar, overload

from statefmt.library.values._at import REQUIRED, value_at
from statefmt.library.values._decode import AttributeValue, decode
from statefmt.model.errors import MissingPathError, SelectionError
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.partial import Partial
from statefmt.redaction.path_text import path_text
from statefmt.redaction.withheld import withheld_paths

_Default = TypeVar("_Default")


class _DecodedMembers(Mapping[str, AttributeValue]):
    """A read-only mapping, each of whose values is decoded on first use."""

    __slots__ = ("_members", "_object", "_type_name", "_values")
    _WHAT: ClassVar[str]

    def __init__(self, obj: ResourceInstanceObject, type_name: str) -> None:
        self._object = obj
        self._type_name = type_name
        # Filled on first use; two threads that do so at once compute the same.
        self._members: Mapping[str, Partial] | None = None
        self._values: dict[str, AttributeValue] = {}

    @abstractmethod
    def _read(self) -> Mapping[str, Partial]:
        """Return the members, undecoded, with a Withheld for each part that `show` hides."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The paths of all Sensitive values, in the order of the state, as `at()` takes them.

        These are the places that `statetool show` hides: where a mark of the state leads, the innermost part that
        holds it for certain, and what is a secret by its type, name or shape. A path into a set leads to the whole set.
        """
        try:
            return tuple(
                path_text(steps) for name, part in self._parts().items() for steps in withheld_paths(part, (name,))
            )
        except RecursionError:
            raise SelectionError(
                f"the {self._WHAT} are nested too deeply to be decoded; their text is in raw"
            ) from None

    @overload
    def at(self, path: str) -> AttributeValue: ...
    @overload
    def at(self, path: str, default: _Default) -> AttributeValue | _Default: ...

    def at(self, path: str, default: object = REQUIRED) -> object:
        """Return the value at a path: `tags.Owner`, `ingress[0].port`, `tags["a b"]`; of flat attributes also `tags.%`.

        If the path does not exist, returns `default`, or without one raises MissingPathError, a LookupError, with the
        nearest names. Raises SelectionError if the path is invalid or leads into a sensitive value: call `reveal()` on
        that value first.
        """
        try:
            return self._at(path)
        except MissingPathError:
            if default is REQUIRED:
                raise
            return default

    def _at(self, path: str) -> AttributeValue:
        return value_at(self, path)

    def __getitem__(self, name: str) -> AttributeValue:
        if name not in self._values:
            self._values[name] = decode(self._parts()[name], name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts())

    def __len__(self) -> int:
        return len(self._parts())

    def __contains__(self, name: object) -> bool:
        return name in self._parts()

    def __repr__(self) -> str:
        name = type(self).__name__
        try:
            return f"{name}({dict(self)!r})"
        except (SelectionError, RecursionError):
            return f"<{name} nested too deeply to be shown: {', '.join(self)}>"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object, /) -> Self:
        return self

    def _parts(self) -> Mapping[str, Partial]:
        if self._members is None:
            self._members = self._read()
        return self._members

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        raise TypeError(f"{self._WHAT} may hold sensitive values and are not pickled; pickle what you need of them")
