"""Models what was salvaged from a damaged state."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from statefmt.edit.salvaging.import_blocks import Importable
from statefmt.edit.salvaging.known_backups import KnownBackup
from statefmt.edit.salvaging.source import ConflictSide
from statefmt.formats.raw_json.slips import Slip
from statefmt.formats.salvage.fill import Backup, Filled
from statefmt.formats.salvage.model import Salvage, SalvagedDocument, SalvagedEnvelope
from statefmt.model.findings import Finding
from statefmt.sealed import Seal


class Unused(NamedTuple):
    """A backup that was found, but not used, and the reason."""

    name: str
    reason: str


class Compared(NamedTuple):
    """A known backup that was not used, compared with the file: its serial, its objects, and those the file lacks.

    `reason` says why it cannot be used, "" if it can.
    """

    backup: KnownBackup
    serial: int | None = None
    objects: int = 0
    absent: int = 0
    reason: str = ""


class Salvaged(Struct, frozen=True, kw_only=True):
    """What was salvaged from a damaged state.

    `found` is all that the file contains, `document` its newest state, and `side` the side of a conflict that was
    taken. `filled` are its objects with those of the `backups`. `envelope` is the rest of the result; `is_empty` if
    nothing was found. If a place for the result was given, `content` are its bytes, in plain text with all secrets, and
    `findings` the errors that reading it finds. `known` are backups that were not asked for, of which the first ones
    are `compared` with a file that is not whole; `unused` are those that do not fit. `slips` are those of a hand edit
    that were mended. `importable` are objects that are missing and can be imported. `inputs` are the names of all
    files that were read.
    """

    name: str
    found: Salvage
    document: SalvagedDocument
    filled: Filled
    envelope: SalvagedEnvelope
    is_empty: bool
    content: bytes = b""
    backups: tuple[Backup, ...] = ()
    unused: tuple[Unused, ...] = ()
    known: tuple[KnownBackup, ...] = ()
    importable: tuple[Importable, ...] = ()
    findings: tuple[Finding, ...] = ()
    inputs: tuple[str, ...] = ()
    slips: tuple[Slip, ...] = ()
    compared: tuple[Compared, ...] = ()
    side: ConflictSide | None = None
    seal: Seal | None = None

    def __repr__(self) -> str:
        # Keep the contents of states out of logs and tracebacks.
        return f"<Salvaged {self.name}>"

    @property
    def is_whole(self) -> bool:
        """Whether the file was whole, apart from its encoding and from text around it."""
        return self.found.is_whole and not self.slips

    @property
    def is_encrypted(self) -> bool:
        """Whether the file or a backup is encrypted; then so is what is written."""
        return self.seal is not None
