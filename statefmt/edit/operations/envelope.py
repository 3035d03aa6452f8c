"""`set-serial` and `new-lineage`: change the identity of a state."""

from __future__ import annotations

from uuid import UUID

from msgspec.structs import replace

from statefmt.edit.changes.edit import Edit
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot


def set_serial(snapshot: Snapshot, serial: int) -> Edit:
    """Set the serial of a state. Raises SurgeryError if it is not an unsigned 64-bit number."""
    if not 0 <= serial <= HIGHEST_SERIAL:
        raise SurgeryError(f"{serial} is not a serial; it must be a whole number from 0 to {HIGHEST_SERIAL}")
    notes = []
    if serial < snapshot.serial:
        notes.append(
            f"the serial was {snapshot.serial}: backends with a higher serial refuse this state, as `tofu state push` "
            "does without -force"
        )
    if serial == HIGHEST_SERIAL:
        notes.append("this is the highest possible serial: nothing can write this state any more")
    return Edit(replace(snapshot, serial=serial), notes=tuple(notes))


def new_lineage(snapshot: Snapshot, lineage: UUID) -> Edit:
    """Give a state a new lineage. Raises SurgeryError if it already has that lineage."""
    if str(lineage) == snapshot.lineage:
        raise SurgeryError(f"{lineage} is already the lineage of the state")
    note = "backends with the old lineage refuse this state, as `tofu state push` does without -force"
    return Edit(replace(snapshot, lineage=str(lineage)), notes=(note,) if snapshot.lineage else ())
