"""Decodes the values of a scan that the format gives a meaning."""

from __future__ import annotations

from statefmt.formats.salvage._scan import ScannedValue
from statefmt.golang import loads_exact


def string(text: bytes, node: ScannedValue | None) -> str | None:
    """Return the value of a whole string that has only characters of Unicode; None for anything else."""
    if node is None or not node.is_whole or node.kind != '"':
        return None
    return string_in(text[node.start : node.end])


def string_in(raw: bytes) -> str | None:
    """Return the value of a string literal that has only characters of Unicode; None for anything else."""
    value = str(loads_exact(raw, replace_invalid=True)) if b"\\" in raw else raw[1:-1].decode("utf-8", "replace")
    return None if "\ufffd" in value else value


def integer(text: bytes, node: ScannedValue | None) -> int | None:
    """Return the value of a whole number without sign, fraction or exponent, of at most 20 digits."""
    raw = text[node.start : node.end] if node is not None and node.is_whole and node.kind == "0" else b""
    return int(raw) if raw.isdigit() and len(raw) <= 20 else None


def is_utf8(text: bytes, node: ScannedValue) -> bool:
    """Return whether the bytes of a value are valid UTF-8."""
    raw = text[node.start : node.end]
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
