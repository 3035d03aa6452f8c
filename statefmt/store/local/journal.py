"""Reads and writes the journal of a write in progress, from which the write can be finished or rolled back.

The journal is beside the state while the state is overwritten. It contains the checksums of the old and the new content
and the new content as pieces: ranges of the old content, which is in the backup, and new bytes. It gets its name only
once it is complete, so an unreadable journal was damaged later, and the state may be half written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import msgspec
from msgspec import Struct, structs

from statefmt.model.errors import StoreError
from statefmt.pieces import Piece, Span, joined
from statefmt.store.local._folder import journal_name, state_of_journal
from statefmt.store.local.state_file import StateFile
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import LARGEST_STATE

_FORMAT: Final = "1.0"
_CHECKSUM_LENGTH: Final = 64
# The whole new content, and room for the pieces of a complete change.
_LARGEST: Final = 2 * LARGEST_STATE


class Journal(Struct, frozen=True):
    """A write: the path of the backup, which contains the old content, and the pieces of the new content.

    The path is relative to the folder of the journal, "" if the file was empty before. `entry` is the history entry,
    with the checksums of both contents. `state` and `inode` are the name and the inode number of the state file.
    """

    backup: str
    pieces: tuple[Piece, ...]
    entry: HistoryEntry
    state: str = ""
    inode: int = 0

    def new_content(self, old: bytes) -> bytes:
        """Build the new content from the old one. Raises ValueError if a checksum differs."""
        if checksum(old) != self.entry.before:
            raise ValueError("the checksum of the backup differs from the one in the journal")
        new = joined(old, self.pieces)
        if checksum(new) != self.entry.after:
            raise ValueError("the checksum of the new content differs from the one in the journal")
        return new


class _Head(Struct, frozen=True):
    """The first line of a journal. A piece is a range of the old content or a number of bytes after this line.

    Names are percent-encoded because they need not be UTF-8.
    """

    backup: str
    entry: HistoryEntry
    pieces: tuple[tuple[int, int] | int, ...]
    state: str
    inode: int
    format_version: str


class _Version(Struct, frozen=True):
    format_version: str


def encode(journal: Journal) -> bytes:
    """Encode a journal: a line with its checksum, a line of JSON, then the new bytes of its pieces."""
    from urllib.parse import quote_from_bytes

    names = [quote_from_bytes(os.fsencode(name)) for name in (journal.backup, journal.state)]
    pieces = tuple(len(piece) if isinstance(piece, bytes) else piece for piece in journal.pieces)
    head = _Head(names[0], journal.entry, pieces, names[1], journal.inode, _FORMAT)
    literal = b"".join(piece for piece in journal.pieces if isinstance(piece, bytes))
    content = msgspec.json.encode(head) + b"\n" + literal
    return f"{checksum(content)}\n".encode() + content


def decode(data: bytes) -> Journal:
    """Decode a journal. Raises ValueError with the reason if it is incomplete or damaged."""
    from urllib.parse import unquote_to_bytes

    content = data[_CHECKSUM_LENGTH + 1 :]
    if data[: _CHECKSUM_LENGTH + 1] != f"{checksum(content)}\n".encode():
        raise ValueError("its checksum is wrong")
    line, _, literal = content.partition(b"\n")
    try:
        version = msgspec.json.decode(line, type=_Version).format_version
        if version != _FORMAT:
            raise ValueError(f"its format is {version!r}, but only {_FORMAT!r} is supported")
        head = msgspec.json.decode(line, type=_Head)
        backup, state = (os.fsdecode(unquote_to_bytes(name)) for name in (head.backup, head.state))
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"its header is invalid: {error}") from error
    pieces: list[Piece] = []
    read = 0
    for piece in head.pieces:
        if isinstance(piece, int):
            pieces.append(literal[read : read + piece])
            read += piece
        else:
            pieces.append(Span(*piece))
    return Journal(backup, tuple(pieces), head.entry, state, head.inode)


def write_journal(state: StateFile, journal: Journal, *, replaces: bool = False) -> None:
    """Write a journal durably beside its state. Raises OSError, StoreError.

    With `replaces`, replaces an unusable journal.
    """
    write = state.folder.replace if replaces else state.folder.create
    write(journal_name(state.name), encode(journal))


def read_journal(state: StateFile) -> Journal | None:
    """Read the journal of a state; None if there is none. Raises ValueError if it is damaged, OSError, StoreError."""
    try:
        data = state.folder.read(journal_name(state.name), _LARGEST)
    except FileNotFoundError:
        return None
    return decode(data)


def remove_journal(state: StateFile) -> None:
    """Delete the journal of a state durably. Raises OSError, StoreError."""
    state.folder.remove(journal_name(state.name))
    state.folder.sync()


def written_as(state: StateFile, status: os.stat_result) -> StateFile:
    """Return the file under the name of its journal, which may belong to another hard link."""
    if status.st_nlink == 1 or state.folder.status(journal_name(state.name)) is not None:
        return state
    try:
        names = [name for name in state.folder.names() if state_of_journal(name)]
    except OSError:
        return state
    for name in names:
        with suppress(OSError, StoreError, ValueError):
            journal = decode(state.folder.read(name, _LARGEST))
            if journal.inode == status.st_ino and journal.state == state_of_journal(name):
                return structs.replace(state, name=journal.state)
    return state


def checksum(content: bytes | Iterable[memoryview]) -> str:
    """Return the SHA-256 of bytes, or of consecutive parts, in hexadecimal digits."""
    # Imported late: hashlib loads OpenSSL, which read-only commands do not need.
    from hashlib import sha256

    if isinstance(content, bytes):
        return sha256(content).hexdigest()
    digest = sha256()
    for part in content:
        digest.update(part)
    return digest.hexdigest()
