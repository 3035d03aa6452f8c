"""Adds and removes the line in a gitattributes file that selects the diff driver for states."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt import StoreError
from statefmt.store.files import read_bounded, write_over
from statefmt.store.reading import reason_of

LINE: Final = b"*.tfstate diff=statetool"
# git ignores larger files.
_LARGEST: Final = 100 * 1024 * 1024


def with_line(text: bytes) -> bytes:
    """Append the line unless the text has it; all other lines stay as they are."""
    if _has_line(text):
        return text
    newline = b"\r\n" if b"\r\n" in text else b"\n"
    separator = b"" if not text or text.endswith(b"\n") else newline
    return text + separator + LINE + newline


def without_line(text: bytes) -> bytes:
    """Remove the line wherever it occurs; all other lines stay as they are."""
    return b"".join([line for line in text.splitlines(keepends=True) if line.split() != LINE.split()])


def edit_attributes(path: Path, *, enable: bool, links: bool) -> bool:
    """Add the line to a file, which need not exist, or remove it; delete the file if that leaves it empty.

    Without `links`, a symbolic link is refused, as git does in a work tree. Returns whether anything changed. Raises
    StoreError if the file cannot be read or written.
    """
    try:
        try:
            old = read_bounded(path, _LARGEST, links=links)
        except FileNotFoundError:
            old = b""
        new = with_line(old) if enable else without_line(old)
        if new == old:
            return False
        if new:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_over(path, new, links=links)
        else:
            path.unlink()
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    return True


def _has_line(text: bytes) -> bool:
    return any(line.split() == LINE.split() for line in text.splitlines())
