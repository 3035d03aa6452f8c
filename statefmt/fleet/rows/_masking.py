"""Hides in the rows of one state what is sensitive, or repeats what is."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cached_property
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.analysis.object_id import SECRET_IDS
from statefmt.fleet.rows._secrets import names_secret, secret_words
from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.object_value import attributes_value, identity_value
from statefmt.redaction.partial import HIDDEN, Hidden, Partial, decoded, exact_text
from statefmt.text import pattern

# An ordinary string, which can be encoded.
MASK: Final = str(HIDDEN)
# Secrets that are looked for one by one, which is faster.
_FEW: Final = 32
# Its configuration may have credentials; `remote_refs` has the rest of it.
REMOTE_STATE: Final = "terraform_remote_state"
_SURROGATE: Final = pattern(rb"\\u[Dd]")
# With what has no end, as hostile bytes may, so that it is not looked at again from each quote.
_QUOTED: Final = pattern(rb'"(?:[^"\\]|\\(?s:.))*+(?:"|\\?\Z)')
# A word of a sentence, such as an address, with the quoted strings that it has.
_TOKEN: Final = pattern(r'(?:"(?:[^"\\]|\\(?s:.))*+(?:"|\\?\Z)|[^\s"])+')
# Findings quote an invalid address, whose names cannot be told apart.
_INVALID: Final = pattern(r"\(column [0-9]+ of the [a-z ]+ (?=['\"])")
# More secrets are not looked for in each of these, and shorter ones are in too many words.
_MOST: Final = 200
_LEAST: Final = 4


def one_line(value: bytes | Raw) -> bytes:
    """Return JSON without whitespace between its parts, so that the layout of a file makes no difference."""
    text = bytes(value)
    if b"\n" not in text:
        return text
    try:
        return msgspec.json.format(text, indent=-1)
    except (msgspec.DecodeError, RecursionError):
        return _replaced(text)


def json_text(value: bytes) -> str:
    """Return JSON as a string. What is not Unicode is replaced, as by OpenTofu: a database has nothing else."""
    return (_replaced(value) if _SURROGATE.search(value) else value).decode("utf-8", "replace")


def _replaced(value: bytes) -> bytes:
    try:
        return exact_text(loads_exact(value, replace_invalid=True))
    except (ValueError, RecursionError):
        return value


class Masking:
    """Hides the sensitive values of one state. `secrets` are its sensitive strings, `holders` the `id()` of each object
    that has some without a mark.

    `names` are those of them that a name, a key or an address may repeat: none, if none of the state's does.
    """

    def __init__(
        self, secrets: frozenset[str], names: frozenset[str] | None = None, *, holders: frozenset[int] = frozenset()
    ) -> None:
        self.secrets = secrets
        self._holders = holders
        self.names = secrets if names is None else names
        # By identity: reading makes one address of equal text, and printing it costs more than all else here.
        self._printed: dict[int, tuple[object, str]] = {}

    def printed(self, address: object) -> str:
        """Return an address as a string, hidden if a part of it is a secret; made once for each address."""
        found = self._printed.get(id(address))
        if found is None:
            found = self._printed[id(address)] = (address, self.address(str(address)))
        return found[1]

    def text(self, text: str) -> str:
        """Return a name or a key, hidden if it is a secret."""
        return MASK if text in self.names else text

    def address(self, text: str) -> str:
        """Return an address, hidden if a part of it is a secret."""
        return MASK if self.names and names_secret(text, self.names) else text

    def pointer(self, pointer: str) -> str:
        """Return a JSON pointer, hidden if one of its names is or has a secret."""
        if not self.names:
            return pointer
        names = (name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/"))
        return MASK if any(names_secret(name, self.names) for name in names) else pointer

    def prose(self, text: str) -> str:
        """Return a sentence in which words, addresses and quoted strings are hidden if they have a secret."""
        if not self.names:
            return text
        invalid = _INVALID.search(text) if text.endswith(("')", '")')) else None
        if invalid is not None and self._may_have(text[invalid.end() :]):
            text = f"{text[: invalid.end()]}{MASK})"
        if self._phrases and self._has_phrase(text):
            return MASK
        return _TOKEN.sub(lambda found: MASK if names_secret(found[0], self.names) else found[0], text)

    def _may_have(self, quoted: str) -> bool:
        """Return whether a part of an invalid address, however it is escaped, may be a secret."""
        plain = quoted.replace("\\", "")
        return len(self.names) > _MOST or any(secret in plain for secret in self._unescaped)

    @cached_property
    def _unescaped(self) -> Set[str]:
        return {plain for secret in self.names if len(plain := secret.replace("\\", "")) >= _LEAST}

    def _has_phrase(self, text: str) -> bool:
        return any(phrase in text for word in secret_words(text) for phrase in self._phrases.get(word, ()))

    @cached_property
    def _phrases(self) -> Mapping[str, list[str]]:
        """The secrets of several words, by their first word."""
        found: dict[str, list[str]] = {}
        for secret in self.names:
            first, *others = secret_words(secret)[:2] or [secret]
            if others:
                found.setdefault(first, []).append(secret)
        return found

    def is_secret(self, type_name: str) -> bool:
        """Return whether resources of a type are secrets as a whole, or have credentials without a mark."""
        return type_name in SECRET_IDS or type_name == REMOTE_STATE

    def is_plain(self, obj: ResourceInstanceObject) -> bool:
        """Return whether nothing in the attributes of an object is sensitive."""
        return obj.sensitive_attributes == b"[]" and id(obj) not in self._holders

    def attributes(self, obj: ResourceInstanceObject, type_name: str) -> bytes | None:
        """Return the attributes as JSON with sensitive parts hidden; None for a resource that is a secret."""
        return (
            None if self.is_secret(type_name) else self._shown(attributes_value(obj, type_name, show_sensitive=False))
        )

    def identity(self, obj: ResourceInstanceObject, type_name: str) -> bytes | None:
        """Return the identity as JSON with sensitive parts hidden."""
        return self._shown(identity_value(obj, type_name, show_sensitive=False))

    def repeats(self, value: bytes) -> bool:
        """Return whether JSON has a secret among its strings."""
        if not self.secrets or (len(self._encoded) <= _FEW and not any(secret in value for secret in self._encoded)):
            return False
        return any(text in self._encoded for text in _QUOTED.findall(value))

    @cached_property
    def _encoded(self) -> frozenset[bytes]:
        return frozenset(msgspec.json.encode(text.encode("utf-8", "replace").decode()) for text in self.secrets)

    def _shown(self, value: Partial) -> bytes | None:
        try:
            text = exact_text(value)
            return one_line(exact_text(self._without(decoded(value))) if self.repeats(text) else text)
        except (ValueError, RecursionError):
            # Nested too deeply to say what is in it.
            return None

    def _without(self, value: JSONValue) -> JSONValue:
        if isinstance(value, Members):
            return Members((name, self._without(item)) for name, item in value)
        if isinstance(value, list):
            return [self._without(item) for item in value]
        return HIDDEN if isinstance(value, str) and not isinstance(value, Hidden) and value in self.secrets else value
