"""Renders encryption metadata as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.encryption import Envelope, Opened
from statefmt.encryption.key_providers import CheckedEncryption, ProviderEntry, provider_entries
from statefmt.render.json_output import document


def encryption_json(envelope: Envelope | None, opened: Opened | None) -> bytes:
    """Render an envelope, None for a plain state, and what read it (schema: `encryption-info-output.schema.json`)."""
    return document(
        {
            "encrypted": envelope is not None,
            "envelope": None if envelope is None else _envelope(envelope),
            "read_by": None if opened is None else {"method": opened.method, "fallback": not opened.is_current},
        }
    )


def reencrypt_json(checked: Sequence[CheckedEncryption]) -> bytes:
    """Render the results of `reencrypt --check` (schema: `reencrypt-output.schema.json`)."""
    return document({"states": [_checked(state) for state in checked]})


def _checked(state: CheckedEncryption) -> dict[str, object]:
    if state.error:
        return {"state": state.name, "encrypted": None, "read_by": None, "error": state.error}
    read_by = {"method": state.method, "fallback": not state.is_current}
    return {"state": state.name, "encrypted": state.is_encrypted, "read_by": read_by, "error": None}


def _envelope(envelope: Envelope) -> dict[str, object]:
    return {
        "serial": envelope.serial,
        "lineage": envelope.lineage,
        "layout": envelope.layout.value,
        "encrypted_bytes": len(envelope.data),
        "key_providers": [_provider(entry) for entry in provider_entries(envelope)],
    }


def _provider(entry: ProviderEntry) -> dict[str, object]:
    metadata = entry.pbkdf2
    pbkdf2 = metadata and {
        "iterations": metadata.iterations,
        "hash_function": metadata.hash_function,
        "salt_length": len(metadata.salt),
        "key_length": metadata.key_length,
    }
    return {"key": entry.key, "type": entry.type or None, "pbkdf2": pbkdf2, "weak": entry.is_weak}
