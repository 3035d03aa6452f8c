"""`undo` and `restore`: write back an earlier content."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from statefmt.edit.changes.edit import Edit
from statefmt.formats import style_of
from statefmt.formats.raw_json import container_at
from statefmt.formats.reading import CURRENT_VERSION, read
from statefmt.formats.reading.damaged import is_json_object, known_snapshot
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
    restored = with_serial(content, _next_serial(snapshot, read(content).snapshot))
    result = read(restored)
    return Edit(result.snapshot, restored=restored, restored_version=result.version)


def restore_damaged(snapshot: Snapshot, content: bytes) -> Edit:
    """Replace a state with an earlier content that cannot be read, as restore() does.

    Content that is not JSON keeps its serial. The new snapshot is empty, as far as the content is known. Raises
    SurgeryError if there is no higher serial.
    """
    known = known_snapshot(content)
    if is_json_object(content):
        known = structs.replace(known, serial=_next_serial(snapshot, known))
        content = with_serial(content, known.serial)
    return Edit(known, restored=content, restored_version=CURRENT_VERSION)


def _next_serial(snapshot: Snapshot, earlier: Snapshot) -> int:
    serial = max(snapshot.serial, earlier.serial) + 1
    if serial > HIGHEST_SERIAL:
        raise SurgeryError(
            "the serial is the highest possible, so no state can follow this one; the backups beside it have its "
            "earlier contents"
        )
    return serial


def with_serial(data: bytes, serial: int) -> bytes:
    """Return the bytes of a state with another serial; `data` must be a JSON object."""
    top = container_at(data)
    member = Assembler(data, style_of(data).layout).edited(top, {"serial": [b"%d" % serial]}, _BEFORE, _DEPTH)
    return joined(data, [Span(0, top.span.start), *member, Span(top.span.end, len(data))])
