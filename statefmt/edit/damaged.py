"""Loads a state that a restored backup replaces or that a person mends, even if the state is damaged."""

from __future__ import annotations

import json
from typing import Final

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, StateFileError, loaded
from statefmt.formats.reading.inspect import CURRENT_VERSION, ReadResult
from statefmt.formats.style import style_of
from statefmt.model.errors import (
    ConfigurationError,
    EncryptedStateError,
    EncryptionError,
    NotAStateError,
    StoreError,
    UnsupportedStateError,
)
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.sealed import Seal, opened
from statefmt.store.reading import display_name
from statefmt.text.pattern import pattern

# Every release writes a state, and OpenTofu an envelope, in this order.
_HEAD: Final = pattern(
    rb'\s*\{\s*("version":\s*[0-9]+,\s*("terraform_version":\s*"[^"\\]*",\s*)?)?'
    rb'"serial":\s*([0-9]{1,20}),\s*"lineage":\s*"([^"\\]*)"'
)
_ENCRYPTED: Final = b'"encrypted_data"'
# In bytes; a state has no or little white space before the first brace.
_LONGEST_START: Final = 1 << 16


def loaded_or_damaged(
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
        if isinstance(cause, NotAStateError) and not _may_be_torn(data):
            raise StoreError(
                f"{where}: this file is not a state, not even a damaged one; nothing was written. If the path is "
                "right, move the file away first"
            ) from error
        head = _HEAD.match(data)
        if backup.seal is None and _ENCRYPTED in data and (head is None or head[1] is None):
            raise StoreError(
                f"{where}: this file is encrypted and cannot be read, and the backup is in plain text; nothing was "
                "written, since that would leave the state in plain text. Move the file away first to restore the "
                "backup as it is; `statetool encrypt --in-place` then encrypts the state"
            ) from error
        result = ReadResult(_known(data), (), backup.result.version, backup.result.style)
        seal = None if backup.seal is None else Seal(data, backup.seal.opened, backup.seal.configuration)
        return LoadedState(name, data, result, seal=seal), error


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
        if isinstance(cause, (NotAStateError, UnsupportedStateError)) and not _may_be_torn(plain):
            raise
        result = ReadResult(_known(plain), (), CURRENT_VERSION, style_of(plain))
        return LoadedState(name, plain, result, seal=seal), error


def _known(data: bytes) -> Snapshot:
    """Return an empty snapshot with what the beginning of a damaged state says of its serial and lineage."""
    head = _HEAD.match(data)
    serial = int(head[3]) if head else 0
    lineage = head[4].decode("utf-8", "replace") if head else ""
    return Snapshot(serial=serial if serial <= HIGHEST_SERIAL else 0, lineage=lineage)


def _may_be_torn(data: bytes) -> bool:
    """Return whether data that is not a state may be what a crash left of one: empty, zeroed or cut off."""
    start = data[:_LONGEST_START].lstrip()
    if start and not start.startswith((b"{", b"\0")):
        return False
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return True
    return False
