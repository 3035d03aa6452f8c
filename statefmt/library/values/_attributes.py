"""Shows the attributes of an object as a mapping of Python values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from statefmt.golang import JSONValue, Members
from statefmt.library.values._decode import AttributeValue, decode
from statefmt.library.values._sensitive import Sensitive
from statefmt.model.errors import SelectionError
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.look_up import look_up, look_up_flat
from statefmt.redaction.partial import Partial, exact_text
from statefmt.redaction.path_text import parse_path, path_text
from statefmt.redaction.withheld import Withheld, withheld_members, withheld_paths


class Attributes(Mapping[str, AttributeValue]):
    """The attributes of one object, by name: a read-only mapping, each of whose values is decoded on first use.

        >>> attributes["tags"]["Owner"]
        'network'
        >>> attributes.at("ingress[0].port")
        443
        >>> attributes["password"]
        (sensitive value)
        >>> attributes["password"].reveal()
        's3cr3t'

    Values are as described in `statefmt.library.values`. What `statetool show` hides is a Sensitive.

    States from before Terraform 0.12 have flat attributes: strings with names such as `tags.%` and `rule.0.port`
    (`is_flat`). They have no marks, so whatever may be sensitive is a Sensitive.

    Decoding a value raises SelectionError if it is nested too deeply; its text is in `raw`. Attributes cannot be
    pickled, as they hold sensitive values; a copy is the object itself.
    """

    __slots__ = ("_members", "_object", "_values")

    def __init__(self, obj: ResourceInstanceObject) -> None:
        self._object = obj
        # Filled on first use; two threads that do so at once compute the same.
        self._members: Mapping[str, Partial] | None = None
        self._values: dict[str, AttributeValue] = {}

    @property
    def raw(self) -> bytes:
        """The JSON text of all attributes exactly as in the state, with sensitive values.

        Flat attributes are written as an object of strings; without attributes it is `{}`.
        """
        if self._object.attributes is not None:
            return bytes(self._object.attributes)
        return exact_text(Members((self._object.attributes_flat or {}).items()))

    @property
    def is_flat(self) -> bool:
        """Whether these are the flat attributes of a state from before Terraform 0.12."""
        return self._object.attributes is None and self._object.attributes_flat is not None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The paths of all Sensitive values, in the order of the state, as `at()` and `show --attr` take them.

        These are the places that `statetool show` hides: where a mark of the state leads, the innermost part that
        holds it for certain. A path into a set leads to the whole set.
        """
        if self.is_flat:
            return tuple(name for name, part in self._parts().items() if isinstance(part, Withheld))
        try:
            return tuple(
                path_text(steps) for name, part in self._parts().items() for steps in withheld_paths(part, (name,))
            )
        except RecursionError:
            raise SelectionError("the attributes are nested too deeply to be decoded; their text is in raw") from None

    def at(self, path: str) -> AttributeValue:
        """Return the value at a path: `tags.Owner`, `ingress[0].port`, `tags["a b"]`; of flat attributes also `tags.%`.

        Raises SelectionError if the path is invalid, does not exist (with the nearest names), or leads into a sensitive
        value: call `reveal()` on that value first.
        """
        if self.is_flat:
            return self._flat_at(path)
        steps = parse_path(path)
        value: AttributeValue = self
        for place, step in enumerate(steps):
            if isinstance(value, Sensitive):
                holder = path_text(steps[:place])
                raise SelectionError(f"{path} is part of the sensitive value {holder}; call .reveal() on that")
            if isinstance(value, tuple) and isinstance(step, int) and 0 <= step < len(value):
                value = value[step]
            elif isinstance(value, Mapping) and str(step) in value:
                # A map key may be, or look like, the index of an element.
                value = value[str(step)]
            else:
                _refuse_missing(value, steps, place)
        return value

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
        try:
            return f"Attributes({dict(self)!r})"
        except (SelectionError, RecursionError):
            return f"<Attributes nested too deeply to be shown: {', '.join(self)}>"

    def __copy__(self) -> Attributes:
        return self

    def __deepcopy__(self, memo: object, /) -> Attributes:
        return self

    def _flat_at(self, path: str) -> AttributeValue:
        if path in self:
            return self[path]
        with suppress(SelectionError):
            name = ".".join(map(str, parse_path(path)))
            if name in self:
                return self[name]
        return look_up_flat(Members((name, None) for name in self), path)

    def _parts(self) -> Mapping[str, Partial]:
        if self._members is None:
            self._members = withheld_members(self._object)
        return self._members

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        raise TypeError("attributes may hold sensitive values and are not pickled; pickle what you need of them")


def _refuse_missing(value: AttributeValue, steps: Sequence[str | int], place: int) -> NoReturn:
    """Raise the SelectionError of `show --attr` for a step that `value` does not have."""
    node: JSONValue = None if value is None else ""
    if isinstance(value, tuple):
        node = [None] * len(value)
    elif isinstance(value, Mapping):
        node = Members((name, None) for name in value)
    for step in reversed(steps[:place]):
        node = Members([(str(step), node)])
    look_up(node, steps)
    raise AssertionError("the step exists")
