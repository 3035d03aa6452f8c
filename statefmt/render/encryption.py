"""Prints the encryption of a state, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.encryption import Envelope, EnvelopeLayout, Opened
from statefmt.encryption.key_providers import (
    LEAST_ITERATIONS,
    CheckedEncryption,
    ProviderEntry,
    needed_for,
    provider_entries,
)
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal
from statefmt.text import printable

_LAYOUTS = {
    EnvelopeLayout.COMPACT: "one line, as most releases write it",
    EnvelopeLayout.INDENTED: "indented, as OpenTofu 1.12 writes local files",
}


def encryption_text(name: str, envelope: Envelope | None, opened: Opened | None, terminal: Terminal) -> str:
    """Render an envelope, None for a plain state, and the method that decrypted it, None if none was tried."""
    if envelope is None:
        lines = [f"{printable(name)}: a plain state, not encrypted"]
    else:
        lines = [f"{printable(name)}: an encrypted state", *_envelope_lines(envelope, terminal)]
    if opened is not None:
        lines += ["", terminal.wrap(_read_by(opened), "", "")]
    elif envelope is not None:
        lines += ["", terminal.wrap("None of this is authenticated until the state is decrypted.", "", "")]
    return "\n".join(lines)


def _envelope_lines(envelope: Envelope, terminal: Terminal) -> list[str]:
    serial = "none" if envelope.serial is None else str(envelope.serial)
    entries = provider_entries(envelope)
    lines = [
        f"  serial    {serial}",
        f"  lineage   {printable(envelope.lineage) or 'none'}",
        f"  layout    {_LAYOUTS[envelope.layout]}",
        f"  data      {len(envelope.data):,} bytes encrypted",
        "",
    ]
    if envelope.serial is None and not envelope.lineage:
        maybe = "It has neither serial nor lineage: it may be an encrypted plan."
        lines[-1:] = ["", terminal.wrap(maybe, "  ", ""), ""]
    if not entries:
        return [*lines, "  It has no metadata of key providers."]
    for entry in entries:
        lines += [f"  {terminal.paint(printable(entry.key), 'bold')}", f"    {_entry(entry)}"]
        if needed := needed_for(entry.key):
            lines.append(terminal.wrap(needed, "    ", ""))
        if entry.is_weak:
            weak = f"OpenTofu requires at least {LEAST_ITERATIONS:,} iterations: this passphrase is easier to guess"
            lines.append(terminal.paint(terminal.wrap(weak, "    ", ""), "yellow"))
    return lines


def _entry(entry: ProviderEntry) -> str:
    metadata = entry.pbkdf2
    if metadata is not None:
        return (
            f"pbkdf2: {metadata.iterations:,} iterations of {printable(metadata.hash_function)}, "
            f"{len(metadata.salt)} bytes of salt, a key of {metadata.key_length} bytes"
        )
    return f"metadata in {entry.type} format" if entry.type else "metadata of an unknown kind"


def _read_by(opened: Opened) -> str:
    if opened.is_current:
        return f"Read by {opened.method}, the first method."
    return (
        f"Read by {opened.method}, which is a fallback. `statetool reencrypt` writes the state with the first method, "
        "as OpenTofu's next write does."
    )


def encryption_json(envelope: Envelope | None, opened: Opened | None) -> bytes:
    """Render an envelope, None for a plain state, and its method (schema: `encryption-info-output.schema.json`)."""
    return document(
        encrypted=envelope is not None,
        envelope=None if envelope is None else _envelope(envelope),
        read_by=None if opened is None else {"method": opened.method, "fallback": not opened.is_current},
    )


def reencrypt_json(checked: Sequence[CheckedEncryption]) -> bytes:
    """Render the results of `reencrypt --check` (schema: `reencrypt-output.schema.json`)."""
    return document(states=[_checked(state) for state in checked])


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
