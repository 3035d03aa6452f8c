"""Describes how a state is encrypted, from the unauthenticated part of its envelope and from a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from statefmt.encryption.envelope import Envelope
from statefmt.encryption.key_providers.pbkdf2 import LEAST_ITERATIONS, Metadata, parse_metadata
from statefmt.golang import Members, loads_exact

# The members of metadata by type of key provider. An envelope does not contain the type.
_MEMBERS: Final[Mapping[str, frozenset[str]]] = {
    "pbkdf2": frozenset({"salt", "iterations", "hash_function", "key_length"}),
    "external": frozenset({"external_data"}),
    "azure_vault": frozenset({"ciphertext", "iv", "authentication_tag", "key_version", "algo"}),
    "aws_kms": frozenset({"ciphertext_blob"}),
    "gcp_kms or openbao": frozenset({"ciphertext"}),
}


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """The metadata of one key provider: its key and, guessed from the members, its type ("" if unknown).

    `pbkdf2` is the parsed metadata of a provider of that type.
    """

    key: str
    type: str
    pbkdf2: Metadata | None = None

    @property
    def is_weak(self) -> bool:
        """Whether the iteration count is below the minimum that OpenTofu allows in a configuration."""
        return self.pbkdf2 is not None and self.pbkdf2.iterations < LEAST_ITERATIONS


@dataclass(frozen=True, slots=True)
class CheckedEncryption:
    """How a state is encrypted, or the `error` that prevents finding out; `is_current` as in `Opened`."""

    name: str
    is_encrypted: bool = False
    method: str = ""
    is_current: bool = False
    error: str = ""


def provider_entries(envelope: Envelope) -> tuple[ProviderEntry, ...]:
    """Return the metadata entries in an envelope, sorted by key."""
    return tuple(_entry(key, envelope.meta[key]) for key in sorted(envelope.meta))


def _entry(key: str, data: bytes) -> ProviderEntry:
    try:
        document = loads_exact(data, replace_invalid=True)
        names = {name for name, _ in document} if isinstance(document, Members) else set()
        found = next((kind for kind, members in _MEMBERS.items() if members <= names), "")
        return ProviderEntry(key, found, parse_metadata(data) if found == "pbkdf2" else None)
    except ValueError:
        return ProviderEntry(key, "")
