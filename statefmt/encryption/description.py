"""What an envelope tells without any key, none of which is authenticated; and what a configuration makes of a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from statefmt.encryption.envelope import Envelope
from statefmt.encryption.key_providers import pbkdf2
from statefmt.golang import Members, loads_exact

# The members of metadata, by the type of key provider that writes them. Nothing in an envelope names the type.
_MEMBERS: Final[Mapping[str, frozenset[str]]] = {
    "pbkdf2": frozenset({"salt", "iterations", "hash_function", "key_length"}),
    "external": frozenset({"external_data"}),
    "azure_vault": frozenset({"ciphertext", "iv", "authentication_tag", "key_version", "algo"}),
    "aws_kms": frozenset({"ciphertext_blob"}),
    "gcp_kms or openbao": frozenset({"ciphertext"}),
}


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """The metadata of one key provider: its key, and the type that writes such, "" where none is known to.

    `pbkdf2` is what the metadata says, where that is its type.
    """

    key: str
    type: str
    pbkdf2: pbkdf2.Metadata | None = None

    @property
    def is_weak(self) -> bool:
        """Whether the passphrase can be guessed faster than OpenTofu lets anybody configure it."""
        return self.pbkdf2 is not None and self.pbkdf2.iterations < pbkdf2.LEAST_ITERATIONS


@dataclass(frozen=True, slots=True)
class CheckedEncryption:
    """How a state is encrypted, or why that cannot be told; `is_current` as in `Opened`."""

    name: str
    is_encrypted: bool = False
    method: str = ""
    is_current: bool = False
    error: str = ""


def provider_entries(envelope: Envelope) -> tuple[ProviderEntry, ...]:
    """The metadata in an envelope, by key."""
    return tuple(_entry(key, envelope.meta[key]) for key in sorted(envelope.meta))


def _entry(key: str, data: bytes) -> ProviderEntry:
    try:
        document = loads_exact(data, replace_invalid=True)
        names = {name for name, _ in document} if isinstance(document, Members) else set()
        found = next((kind for kind, members in _MEMBERS.items() if members <= names), "")
        return ProviderEntry(key, found, pbkdf2.parse_metadata(data) if found == "pbkdf2" else None)
    except ValueError:
        return ProviderEntry(key, "")
