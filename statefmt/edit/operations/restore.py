"""`restore`: write back an earlier content, also of a state that cannot be loaded."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.changes import Edit
from statefmt.edit.session import LoadedState, StateFileError, loaded
from statefmt.formats import style_of
from statefmt.formats.raw_json import container_at
from statefmt.formats.reading import CURRENT_VERSION, ReadResult, read
from statefmt.formats.reading.damaged import is_json_object, known_snapshot, may_be_torn, names_format
from statefmt.formats.writing.assemble import Assembler
from statefmt.model.errors import (
    ConfigurationError,
    EncryptedStateError,
    EncryptionError,
    NotAStateError,
    StateError,
    StatetoolError,
    StoreError,
    SurgeryError,
    UnsupportedStateError,
)
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.pieces import Span, joined
from statefmt.sealed import Seal, opened
from statefmt.store.reading import display_name
from statefmt.text import printable

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


_ENCRYPTED: Final = b'"encrypted_data"'


def loaded_to_mend(context: RunContext, name: str, data: bytes) -> tuple[LoadedState, StateFileError | None]:
    """Load a state as loaded() does; if its content cannot be used, return it with an empty snapshot, and the error.

    The snapshot has serial and lineage as far as they can be read. Raises what loaded() raises if the state cannot be
    decrypted, and StateFileError if the file does not look like a state.
    """
    try:
        return loaded(context, name, data), None
    except StateFileError as error:
        cause = error.__cause__
        if isinstance(cause, EncryptedStateError):
            raise
        found = opened(context, name, data)
        configuration = None if found is None else context.configuration()
        seal = None if found is None or configuration is None else Seal(data, found, configuration)
        plain = data if seal is None else seal.opened.plain
        if isinstance(cause, (NotAStateError, UnsupportedStateError)) and not may_be_torn(plain):
            raise
        result = ReadResult(known_snapshot(plain), (), CURRENT_VERSION, style_of(plain))
        return LoadedState(name, plain, result, seal=seal), error


def loaded_to_replace(
    context: RunContext, name: str, data: bytes, backup: LoadedState
) -> tuple[LoadedState, StateFileError | EncryptionError | None]:
    """Load a state as loaded() does; if it is damaged, return an empty one in its place, and the error.

    A damaged state has serial and lineage as far as they can be read, and is written in the form of the backup,
    encrypted or plain. Raises StoreError if the file does not look like a state, or the backup is plain and the state
    encrypted; and what loaded() raises if only a configuration is missing or wrong.
    """
    try:
        return loaded(context, name, data), None
    except ConfigurationError:
        raise
    except (StateFileError, EncryptionError) as error:
        cause = error.__cause__
        if isinstance(cause, EncryptedStateError):
            raise
        where = display_name(name)
        if isinstance(cause, NotAStateError) and not may_be_torn(data):
            raise StoreError(
                f"{where}: this file is not a state, not even a damaged one; nothing was written. If the path is "
                "right, move the file away first"
            ) from error
        if backup.seal is None and _ENCRYPTED in data and not names_format(data):
            raise StoreError(
                f"{where}: this file is encrypted and cannot be read, and the backup is in plain text; nothing was "
                "written, since that would leave the state in plain text. Move the file away first to restore the "
                "backup as it is; `statetool encrypt --in-place` then encrypts the state"
            ) from error
        result = ReadResult(known_snapshot(data), (), backup.result.version, backup.result.style)
        seal = None if backup.seal is None else Seal(data, backup.seal.opened, backup.seal.configuration)
        return LoadedState(name, data, result, seal=seal), error


def damage(error: StatetoolError) -> str:
    """Return what is wrong with a damaged state, in one sentence for a note."""
    first = error.reasons[0] if isinstance(error, StateError) and error.reasons else None
    return printable(error.on_command_line if first is None else first.detail or first.summary)
