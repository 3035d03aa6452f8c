"""Renders encryption metadata as text."""

from __future__ import annotations

from statefmt.encryption import Envelope, EnvelopeLayout, Opened
from statefmt.encryption.key_providers import LEAST_ITERATIONS, ProviderEntry, needed_for, provider_entries
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal

_LAYOUTS = {
    EnvelopeLayout.COMPACT: "one line, as most releases write it",
    EnvelopeLayout.INDENTED: "indented, as OpenTofu 1.12 writes local files",
}


def encryption_text(name: str, envelope: Envelope | None, opened: Opened | None, terminal: Terminal) -> str:
    """Render an envelope, None for a plain state, and what decrypted it, None if nothing has tried."""
    if envelope is None:
        lines = [f"{printable(name)}: a plain state, not encrypted"]
    else:
        lines = [f"{printable(name)}: an encrypted state", *_envelope(envelope, terminal)]
    if opened is not None:
        lines += ["", terminal.wrap(_read_by(opened), "", "")]
    elif envelope is not None:
        lines += ["", terminal.wrap("None of this is authenticated until the state is decrypted.", "", "")]
    return "\n".join(lines)


def _envelope(envelope: Envelope, terminal: Terminal) -> list[str]:
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
