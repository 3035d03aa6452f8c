"""`undo`: the content of an earlier time, put back."""

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


def with_serial(data: bytes, serial: int) -> bytes:
    """The bytes of a state with this serial. They are known to be a state."""
    top = container_at(data)
    member = Assembler(data, style_of(data).layout).edited(top, {"serial": [b"%d" % serial]}, _BEFORE, _DEPTH)
    return joined(data, [Span(0, top.span.start), *member, Span(top.span.end, len(data))])
