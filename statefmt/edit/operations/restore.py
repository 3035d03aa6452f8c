"""`undo` and `restore`: write back an earlier content."""

from __future__ import annotations

from typing import Final

from statefmt.edit.changes.edit import Edit
from statefmt.formats.raw_json.spans import container_at
from statefmt.formats.reading.inspect import read
from statefmt.formats.style import style_of
from statefmt.formats.writing.assemble import Assembler
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.pieces import Span, joined

_BEFORE: Final = ("version", "terraform_version", "serial")
_DEPTH: Final = 1


def restore(snapshot: Snapshot, content: bytes) -> Edit:
    """Replace a state with an earlier content, byte for byte except for a serial higher than both.

    Raises StateError if the content is not a state, and SurgeryError if there is no higher serial.
    """
    earlier = read(content).snapshot
    serial = max(snapshot.serial, earlier.serial) + 1
    if serial > HIGHEST_SERIAL:
        raise SurgeryError(
            "the serial is the highest possible, so no state can follow this one; the backups beside it have its "
            "earlier contents"
        )
    restored = with_serial(content, serial)
    result = read(restored)
    return Edit(result.snapshot, restored=restored, restored_version=result.version)


def with_serial(data: bytes, serial: int) -> bytes:
    """Return the bytes of a state with another serial; `data` must be a valid state."""
    top = container_at(data)
    member = Assembler(data, style_of(data).layout).edited(top, {"serial": [b"%d" % serial]}, _BEFORE, _DEPTH)
    return joined(data, [Span(0, top.span.start), *member, Span(top.span.end, len(data))])
