"""Shows the identity of an object as a mapping of Python values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from statefmt.library.values._members import _DecodedMembers
from statefmt.redaction.partial import Partial
from statefmt.redaction.withheld import withheld_identity


class ResourceIdentity(_DecodedMembers):
    """The identity of one object, by name: a read-only mapping, each of whose values is decoded on first use.

        >>> instance.identity["account_id"]
        '123456789012'

    A provider tells its real objects apart by it. It is empty if the state has none. Values are as described in
    `statefmt.library.values`. An identity has no sensitive marks, so what `statetool show` hides is a Sensitive: parts
    that are sensitive as attributes, and members whose names suggest a secret.

    Decoding a value raises SelectionError if it is nested too deeply; its text is in `raw`. An identity cannot be
    pickled, as it may hold sensitive values; a copy is the object itself.
    """

    __slots__ = ()
    _WHAT: ClassVar = "members of an identity"

    @property
    def raw(self) -> bytes | None:
        """The JSON text of the identity exactly as in the state, with sensitive values; None if there is none."""
        return None if self._object.identity is None else bytes(self._object.identity)

    @property
    def schema_version(self) -> int | None:
        """The version of the schema of the identity; None if the state has none."""
        return self._object.identity_schema_version

    def _read(self) -> Mapping[str, Partial]:
        return withheld_identity(self._object, self._type_name)
