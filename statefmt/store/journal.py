"""The journal of a write in progress: what it takes to finish the write, or to tell that it never began.

It stands beside the state while the state is written over, and holds the checksums of both sides and the new content
as pieces: ranges of the old content, which the backup has, and new bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

# A range of the old content, or new bytes.
Piece: TypeAlias = tuple[int, int] | bytes

_FORMAT: Final = "1.0"
_CHECKSUM_LENGTH: Final = 64


@dataclass(frozen=True, slots=True)
class Journal:
    """A write: the name of the backup (the old content, beside the state), checksums and sizes, and the new content."""

    backup: str
    old_checksum: str
    new_checksum: str
    old_size: int
    new_size: int
    pieces: tuple[Piece, ...]

    def new_content(self, old: bytes) -> bytes:
        """The new content, given the old one. Raises ValueError where the checksums do not agree."""
        if checksum(old) != self.old_checksum:
            raise ValueError("the backup is not what the journal says")
        new = b"".join(old[piece[0] : piece[1]] if isinstance(piece, tuple) else piece for piece in self.pieces)
        if checksum(new) != self.new_checksum:
            raise ValueError("the journal does not give what it says")
        return new


def journal_for(backup: str, old: bytes, new: bytes, pieces: Sequence[Piece] | None) -> Journal:
    """The journal of a write; without pieces the new content is one."""
    return Journal(
        backup, checksum(old), checksum(new), len(old), len(new), (new,) if pieces is None else tuple(pieces)
    )


def journal_path(path: Path) -> Path:
    """Where the journal of a state file stands while the file is written: `.NAME.statetool.journal` beside it."""
    return path.with_name(journal_name(path.name))


def journal_name(name: str) -> str:
    """The name of the journal of a state file, from its own."""
    return f".{name.removeprefix('.')}.statetool.journal"


def encode(journal: Journal) -> bytes:
    """The bytes of a journal: its checksum and a line of JSON, then the new bytes of its pieces one after the other."""
    head = {
        "format_version": _FORMAT,
        "backup": journal.backup,
        "old": {"sha256": journal.old_checksum, "size": journal.old_size},
        "new": {"sha256": journal.new_checksum, "size": journal.new_size},
        "pieces": [len(piece) if isinstance(piece, bytes) else piece for piece in journal.pieces],
    }
    literal = b"".join(piece for piece in journal.pieces if isinstance(piece, bytes))
    content = json.dumps(head).encode() + b"\n" + literal
    return f"{checksum(content)}\n".encode() + content


def decode(data: bytes) -> Journal:
    """The journal that some bytes hold. Raises ValueError where they are not a whole journal."""
    content = data[_CHECKSUM_LENGTH + 1 :]
    if data[: _CHECKSUM_LENGTH + 1] != f"{checksum(content)}\n".encode():
        raise ValueError("the journal is incomplete")
    line, _, literal = content.partition(b"\n")
    head = json.loads(line)
    pieces: list[Piece] = []
    read = 0
    for piece in head["pieces"]:
        if isinstance(piece, int):
            pieces.append(literal[read : read + piece])
            read += piece
        else:
            start, end = piece
            pieces.append((start, end))
    old, new = head["old"], head["new"]
    return Journal(head["backup"], old["sha256"], new["sha256"], old["size"], new["size"], tuple(pieces))


def checksum(content: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal digits."""
    # Imported where it is needed: it loads a library for cryptography, and who only looks needs none.
    from hashlib import sha256

    return sha256(content).hexdigest()
