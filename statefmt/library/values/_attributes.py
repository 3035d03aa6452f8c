"""Shows the attributes of an object as a mapping of Python values."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar

from statefmt.golang import Members
from statefmt.library.values._decode import AttributeValue
from statefmt.library.values._members import _DecodedMembers
from statefmt.model.errors import SelectionError
from statefmt.redaction.look_up import look_up_flat
from statefmt.redaction.partial import Partial, exact_text
from statefmt.redaction.path_text import parse_path
from statefmt.redaction.withheld import Withheld, withheld_members


class Attributes(_DecodedMembers):
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

    __slots__ = ()
    _WHAT: ClassVar = "attributes"

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
        holds it for certain, and what is a secret by its type, name or shape. A path into a set leads to the whole set.
        """
        if self.is_flat:
            return tuple(name for name, part in self._parts().items() if isinstance(part, Withheld))
        return super().sensitive

    def _at(self, path: str) -> AttributeValue:
        return self._flat_at(path) if self.is_flat else super()._at(path)

    def _read(self) -> Mapping[str, Partial]:
        return withheld_members(self._object, self._type_name)

    def _flat_at(self, path: str) -> AttributeValue:
        if path in self:
            return self[path]
        with suppress(SelectionError):
            name = ".".join(map(str, parse_path(path)))
            if name in self:
                return self[name]
        return look_up_flat(Members((name, None) for name in self), path)
