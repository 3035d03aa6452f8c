"""The journal of a write in progress: what it takes to finish the write, or to tell that it never began.

It lies beside the state while the state is written over, and holds the checksums of both sides and the new content
as pieces: ranges of the old content, which the backup has, and new bytes. It gets its name once it is whole, so that a
journal that cannot be read was damaged, and the state may be half written.
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
from statefmt.store.local._names import journal_name, state_of_journal
from statefmt.store.local.state_file import StateFile
from statefmt.store.protocol import HistoryEntry
from statefmt.store.reading import LARGEST_STATE

_FORMAT: Final = "1.0"
_CHECKSUM_LENGTH: Final = 64
# All of a new content, and room for the pieces of an edit that touches everything.
_LARGEST: Final = 2 * LARGEST_STATE


class Journal(Struct, frozen=True):
    """A write: the path of the backup, which has the old content, and what the new content is made of.

    The path goes from the folder of the journal. `entry` is what the history is to say of it, and has the checksums of
    both contents. `state` and `inode` are the name and the number of the file that is written.
    """

    backup: str
    pieces: tuple[Piece, ...]
    entry: HistoryEntry
    state: str = ""
    inode: int = 0

    def new_content(self, old: bytes) -> bytes:
        """The new content, given the old one. Raises ValueError where the checksums do not agree."""
        if checksum(old) != self.entry.before:
            raise ValueError("the backup is not what the journal says")
        new = joined(old, self.pieces)
        if checksum(new) != self.entry.after:
            raise ValueError("the journal does not give what it says")
        return new


class _Head(Struct, frozen=True):
    """The first line of a journal. A piece is a range of the old content, or so many of the bytes after the line.

    Names are percent-encoded: they need not be UTF-8.
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
    """The bytes of a journal: its checksum and a line of JSON, then the new bytes of its pieces one after the other."""
    from urllib.parse import quote_from_bytes

    names = [quote_from_bytes(os.fsencode(name)) for name in (journal.backup, journal.state)]
    pieces = tuple(len(piece) if isinstance(piece, bytes) else piece for piece in journal.pieces)
    head = _Head(names[0], journal.entry, pieces, names[1], journal.inode, _FORMAT)
    literal = b"".join(piece for piece in journal.pieces if isinstance(piece, bytes))
    content = msgspec.json.encode(head) + b"\n" + literal
    return f"{checksum(content)}\n".encode() + content


def decode(data: bytes) -> Journal:
    """The journal in some bytes. Raises ValueError, with the reason, where they are not a whole journal."""
    from urllib.parse import unquote_to_bytes

    content = data[_CHECKSUM_LENGTH + 1 :]
    if data[: _CHECKSUM_LENGTH + 1] != f"{checksum(content)}\n".encode():
        raise ValueError("its checksum is wrong")
    line, _, literal = content.partition(b"\n")
    try:
        version = msgspec.json.decode(line, type=_Version).format_version
        if version != _FORMAT:
            raise ValueError(f"its format is {version!r}, and this statetool knows {_FORMAT!r} only")
        head = msgspec.json.decode(line, type=_Head)
        backup, state = (os.fsdecode(unquote_to_bytes(name)) for name in (head.backup, head.state))
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"its first line cannot be read: {error}") from error
    pieces: list[Piece] = []
    read = 0
    for piece in head.pieces:
        if isinstance(piece, int):
            pieces.append(literal[read : read + piece])
            read += piece
        else:
            pieces.append(Span(*piece))
    return Journal(backup, tuple(pieces), head.entry, state, head.inode)


def write_journal(state: StateFile, journal: Journal) -> None:
    """Make a journal durable beside its state. Raises OSError, StoreError."""
    state.folder.create(journal_name(state.name), encode(journal))


def read_journal(state: StateFile) -> Journal | None:
    """The journal of a state; None where there is none. Raises ValueError where it is damaged, OSError, StoreError."""
    try:
        data = state.folder.read(journal_name(state.name), _LARGEST)
    except FileNotFoundError:
        return None
    return decode(data)


def remove_journal(state: StateFile) -> None:
    """Forget that a write was in progress. Raises OSError, StoreError."""
    state.folder.remove(journal_name(state.name))
    state.folder.sync()


def written_as(state: StateFile, status: os.stat_result) -> StateFile:
    """The same file by the name that its journal has: that of another hard link, if it was written by that one."""
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
    """The SHA-256 of some bytes, or of parts one after the other, in hexadecimal digits."""
    # Imported where it is needed: it loads a library for cryptography, and who only looks needs none.
    from hashlib import sha256

    if isinstance(content, bytes):
        return sha256(content).hexdigest()
    digest = sha256()
    for part in content:
        digest.update(part)
    return digest.hexdigest()
