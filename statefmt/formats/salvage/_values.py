"""Decodes the values of a scan that the format gives a meaning."""

from __future__ import annotations

from statefmt.formats.salvage._scan import ScannedValue
from statefmt.golang import loads_exact


def scalar(text: bytes, node: ScannedValue | None) -> object:
    """Return the value of a whole scalar, a number as its text; None for anything else."""
    if node is None or not node.is_whole or node.kind in "{[" or not is_utf8(text, node):
        return None
    return loads_exact(text[node.start : node.end], replace_invalid=True)


def string(text: bytes, node: ScannedValue | None) -> str | None:
    """Return the value of a whole string that has only characters of Unicode; None for anything else."""
    value = scalar(text, node)
    return value if isinstance(value, str) and node is not None and node.kind == '"' and "\ufffd" not in value else None


def integer(text: bytes, node: ScannedValue | None) -> int | None:
    """Return the value of a whole number without sign, fraction or exponent, of at most 20 digits."""
    value = scalar(text, node)
    number = "" if value is None or (node is not None and node.kind == '"') else str(value)
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 20 else None


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
