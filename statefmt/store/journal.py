"""The journal of a write in progress: what it takes to finish the write, or to tell that it never began.

It stands beside the state while the state is written over, and holds the checksums of both sides and the new content
as pieces: ranges of the old content, which the backup has, and new bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from statefmt.store.history import HistoryEntry
from statefmt.store.linked import linked_file

# A range of the old content, or new bytes.
Piece: TypeAlias = tuple[int, int] | bytes

_FORMAT: Final = "1.0"
_CHECKSUM_LENGTH: Final = 64


def parts_of(old: bytes, pieces: Iterable[Piece]) -> Iterator[memoryview]:
    """The content that pieces make of an old one, part by part and without a copy of it."""
    view = memoryview(old)
    for piece in pieces:
        yield view[piece[0] : piece[1]] if isinstance(piece, tuple) else memoryview(piece)


def makes_the_same(old: bytes, pieces: Sequence[Piece]) -> bool:
    """Whether the content that pieces make of an old one is the old one."""
    if sum(piece[1] - piece[0] if isinstance(piece, tuple) else len(piece) for piece in pieces) != len(old):
        return False
    place = 0
    for piece in pieces:
        end = place + (piece[1] - piece[0] if isinstance(piece, tuple) else len(piece))
        is_there = piece == (place, end)
        if not is_there and old[place:end] != (old[piece[0] : piece[1]] if isinstance(piece, tuple) else piece):
            return False
        place = end
    return True


class Journal(Struct, frozen=True):
    """A write: the path of the backup, which has the old content, and what the new content is made of.

    The path goes from the folder of the journal. `entry` is what the history is to say of it, and has the checksums of
    both contents.
    """

    backup: str
    pieces: tuple[Piece, ...]
    entry: HistoryEntry

    def new_content(self, old: bytes) -> bytes:
        """The new content, given the old one. Raises ValueError where the checksums do not agree."""
        if checksum(old) != self.entry.before:
            raise ValueError("the backup is not what the journal says")
        new = b"".join(old[piece[0] : piece[1]] if isinstance(piece, tuple) else piece for piece in self.pieces)
        if checksum(new) != self.entry.after:
            raise ValueError("the journal does not give what it says")
        return new


class _Head(Struct, frozen=True):
    """The first line of a journal. A piece is a range of the old content, or so many of the bytes after the line."""

    backup: str
    entry: HistoryEntry
    pieces: tuple[tuple[int, int] | int, ...]
    format_version: str = _FORMAT


def journal_path(path: Path) -> Path:
    """Where the journal of a state file stands while the file is written: `.NAME.statetool.journal` beside it."""
    path = linked_file(path)
    return path.with_name(journal_name(path.name))


def journal_name(name: str) -> str:
    """The name of the journal of a state file, from its own."""
    return f".{name.removeprefix('.')}.statetool.journal"


def encode(journal: Journal) -> bytes:
    """The bytes of a journal: its checksum and a line of JSON, then the new bytes of its pieces one after the other."""
    pieces = tuple(len(piece) if isinstance(piece, bytes) else piece for piece in journal.pieces)
    literal = b"".join(piece for piece in journal.pieces if isinstance(piece, bytes))
    content = msgspec.json.encode(_Head(journal.backup, journal.entry, pieces)) + b"\n" + literal
    return f"{checksum(content)}\n".encode() + content


def decode(data: bytes) -> Journal:
    """The journal that some bytes hold. Raises ValueError where they are not a whole journal."""
    content = data[_CHECKSUM_LENGTH + 1 :]
    if data[: _CHECKSUM_LENGTH + 1] != f"{checksum(content)}\n".encode():
        raise ValueError("the journal is incomplete")
    line, _, literal = content.partition(b"\n")
    head = msgspec.json.decode(line, type=_Head)
    pieces: list[Piece] = []
    read = 0
    for piece in head.pieces:
        if isinstance(piece, int):
            pieces.append(literal[read : read + piece])
            read += piece
        else:
            pieces.append(piece)
    return Journal(head.backup, tuple(pieces), head.entry)


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
