"""Hides in the rows of one state what is sensitive, or repeats what is."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.analysis.selection.object_id import SECRET_IDS
from statefmt.fleet.rows._secrets import names_secret
from statefmt.golang import JSONValue, Members
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.object_value import attributes_value, identity_value
from statefmt.redaction.partial import Partial, decoded, exact_text
from statefmt.text.pattern import pattern

# An ordinary string, which can be encoded.
MASK: Final = str(HIDDEN)
# Its configuration may have credentials; `remote_refs` has the rest of it.
REMOTE_STATE: Final = "terraform_remote_state"
# With what has no end, as hostile bytes may, so that it is not looked at again from each quote.
_QUOTED: Final = pattern(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)')


def one_line(value: bytes | Raw) -> bytes:
    """Return JSON without whitespace between its parts, so that the layout of a file makes no difference."""
    text = bytes(value)
    return msgspec.json.format(text, indent=-1) if b"\n" in text else text


class Masking:
    """Hides the sensitive values of one state. `secrets` are its sensitive strings."""

    def __init__(self, secrets: frozenset[str]) -> None:
        self.secrets = secrets
        # By identity: reading makes one address of equal text, and printing it costs more than all else here.
        self._printed: dict[int, tuple[object, str]] = {}

    def printed(self, address: object) -> str:
        """Return an address as a string, made once for each address."""
        found = self._printed.get(id(address))
        if found is None:
            found = self._printed[id(address)] = (address, str(address))
        return found[1]

    def text(self, text: str) -> str:
        """Return a name or a key, hidden if it is a secret."""
        return MASK if text in self.secrets else text

    def address(self, text: str) -> str:
        """Return an address, a pointer or a sentence, hidden if a part of it is a secret."""
        return MASK if self.secrets and names_secret(text, self.secrets) else text

    def is_secret(self, type_name: str) -> bool:
        """Return whether resources of a type are secrets as a whole, or have credentials without a mark."""
        return type_name in SECRET_IDS or type_name == REMOTE_STATE

    def attributes(self, obj: ResourceInstanceObject, type_name: str) -> Raw | None:
        """Return the attributes as JSON with sensitive parts hidden; None for a resource that is a secret."""
        return None if self.is_secret(type_name) else self._shown(attributes_value(obj, show_sensitive=False))

    def identity(self, obj: ResourceInstanceObject) -> Raw | None:
        """Return the identity as JSON with sensitive parts hidden."""
        return self._shown(identity_value(obj, show_sensitive=False))

    def repeats(self, value: bytes) -> bool:
        """Return whether JSON has a secret among its strings."""
        return any(text in self._encoded for text in _QUOTED.findall(value)) if self.secrets else False

    @cached_property
    def _encoded(self) -> frozenset[bytes]:
        return frozenset(msgspec.json.encode(text.encode("utf-8", "replace").decode()) for text in self.secrets)

    def _shown(self, value: Partial) -> Raw | None:
        try:
            if isinstance(value, Raw) and not self.repeats(bytes(value)):
                return Raw(one_line(value))
            return Raw(one_line(exact_text(self._without(decoded(value)) if self.secrets else value)))
        except (ValueError, RecursionError):
            # Nested too deeply to say what is in it.
            return None

    def _without(self, value: JSONValue) -> JSONValue:
        if isinstance(value, Members):
            return Members((name, self._without(item)) for name, item in value)
        if isinstance(value, list):
            return [self._without(item) for item in value]
        return HIDDEN if isinstance(value, str) and not isinstance(value, Hidden) and value in self.secrets else value
