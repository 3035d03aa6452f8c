"""`undo`: the content of an earlier time, put back."""

from __future__ import annotations

from statefmt.edit.changes.edit import Edit
from statefmt.formats.reading.inspect import read
from statefmt.formats.serial import with_serial
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot


def restore(snapshot: Snapshot, content: bytes) -> Edit:
    """Put an earlier content in place of all that a state says; its serial becomes higher than both.

    Everything else is as it was, to the byte. Raises StateError where the content is no state, SurgeryError
    where there is no higher serial.
    """
    earlier = read(content).snapshot
    serial = max(snapshot.serial, earlier.serial) + 1
    if serial > HIGHEST_SERIAL:
        raise SurgeryError("the serial is the highest there is, so that no state can come after this one")
    restored = with_serial(content, serial)
    return Edit(read(restored).snapshot, restored=restored)
