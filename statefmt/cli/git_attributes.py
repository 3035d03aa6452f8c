"""The line in a file of git attributes that gives states to the diff driver, put in and taken out."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.errors import StoreError
from statefmt.store.reading import reason_of

LINE: Final = b"*.tfstate diff=statetool"


def with_line(text: bytes) -> bytes:
    """The text with the line, at its end unless it has it already; all other lines stay as they are."""
    if _has_line(text):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    separator = b"" if not text or text.endswith(b"\n") else newline
    return text + separator + LINE + newline


def without_line(text: bytes) -> bytes:
    """The text without the line, wherever it stands; all other lines stay as they are."""
    return b"".join([line for line in text.splitlines(keepends=True) if line.split() != LINE.split()])


def edit_attributes(path: Path, *, enable: bool) -> bool:
    """Put the line into a file, which need not exist, or take it out; a file that it leaves empty is removed.

    Gives whether anything changed. Raises StoreError where the file cannot be read or written.
    """
    try:
        old = path.read_bytes() if path.exists() else b""
        new = with_line(old) if enable else without_line(old)
        if new == old:
            return False
        if new:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(new)
        else:
            path.unlink()
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    return True


def _has_line(text: bytes) -> bool:
    return any(line.split() == LINE.split() for line in text.splitlines())
