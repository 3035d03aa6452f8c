"""The line in a file of git attributes that gives states to the diff driver, put in and taken out."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.reading import reason_of
from statefmt.store.small_files import read_bounded, write_over

LINE: Final = b"*.tfstate diff=statetool"
# Of larger ones, git reads none.
_LARGEST: Final = 100 * 1024 * 1024


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


def edit_attributes(path: Path, *, enable: bool, links: bool) -> bool:
    """Put the line into a file, which need not exist, or take it out; a file that it leaves empty is removed.

    Without `links`, a file that is a symbolic link is refused: git does not read one in a work tree either. Returns
    whether anything changed. Raises StoreError where the file cannot be read or written.
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
