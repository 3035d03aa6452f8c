"""`set-serial` and `new-lineage`: what a state says of itself, so that it is told from another or taken for it."""

from __future__ import annotations

from uuid import UUID

from msgspec.structs import replace

from statefmt.edit.changes.edit import Edit
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot


def set_serial(snapshot: Snapshot, serial: int) -> Edit:
    """Give a state a serial, an unsigned number of 64 bits. Raises SurgeryError for any other."""
    if not 0 <= serial <= HIGHEST_SERIAL:
        raise SurgeryError(f"{serial} is no serial; it is a whole number from 0 to {HIGHEST_SERIAL}")
    notes = []
    if serial < snapshot.serial:
        notes.append(
            f"the serial was {snapshot.serial}: backends that hold a state with a higher serial refuse this one, as "
            "`tofu state push` does without -force"
        )
    if serial == HIGHEST_SERIAL:
        notes.append("this is the highest serial there is: nothing can write this state any more")
    return Edit(replace(snapshot, serial=serial), notes=tuple(notes))


def new_lineage(snapshot: Snapshot, lineage: UUID) -> Edit:
    """Make a state the first of another lineage. Raises SurgeryError where it is the lineage that it has."""
    if str(lineage) == snapshot.lineage:
        raise SurgeryError(f"{lineage} is the lineage that the state has already")
    note = "backends that hold a state of the old lineage refuse this one, as `tofu state push` does without -force"
    return Edit(replace(snapshot, lineage=str(lineage)), notes=(note,) if snapshot.lineage else ())
