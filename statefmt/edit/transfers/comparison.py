"""Decides whether a state may be copied over what another place has.

Stricter than `state push`, which accepts a state without a lineage.
Source: OpenTofu `internal/states/statemgr/migrate.go` (CheckValidImport).
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from statefmt.context import RunContext
from statefmt.edit.session import loaded
from statefmt.model.errors import StoreError
from statefmt.sealed import about


class TransferAction(StrEnum):
    """What a copy does to its target."""

    CREATE = "create"
    REPLACE = "replace"
    NOTHING = "nothing"  # the target has the same bytes already


class StateHead(Struct, frozen=True):
    """What says which state a content is. An encrypted state has copies of serial and lineage in plain text."""

    serial: int
    lineage: str
    is_encrypted: bool = False


class Comparison(Struct, frozen=True):
    """What a copy would do; `replaced` is the state that the target has, if any."""

    action: TransferAction
    head: StateHead
    replaced: StateHead | None = None


def compared(context: RunContext, source: tuple[str, bytes], target: tuple[str, bytes]) -> Comparison:
    """Compare two contents with the names of their places; an empty one means that there is none.

    Raises StoreError if there is nothing to copy, or if the target has another lineage or a serial that is not lower;
    StateFileError and EncryptionError if one of them is not a state that can be read.
    """
    (name, content), (target_name, old) = source, target
    if not content:
        raise StoreError(f"{name}: there is no state to copy")
    head = state_head(context, name, content)
    if not old:
        return Comparison(TransferAction.CREATE, head)
    replaced = state_head(context, target_name, old)
    if content == old:
        return Comparison(TransferAction.NOTHING, head, replaced)
    if not head.lineage or not replaced.lineage:
        missing = name if not head.lineage else target_name
        raise StoreError(
            f"{target_name}: there is a state already, and {missing} has no lineage, so it is not known whether both "
            "are the same state; nothing was written"
        )
    if head.lineage != replaced.lineage:
        raise StoreError(
            f"{target_name}: there is another state already, with the lineage {replaced.lineage}, not {head.lineage}; "
            "nothing was written"
        )
    if replaced.serial >= head.serial:
        raise StoreError(
            f"{target_name}: its serial is {replaced.serial}, and that of {name} is {head.serial}: only a state with a "
            "lower serial is replaced; nothing was written"
        )
    return Comparison(TransferAction.REPLACE, head, replaced)


def state_head(context: RunContext, name: str, content: bytes) -> StateHead:
    """Return serial and lineage of a stored state. Raises StateFileError, EncryptionError and StoreError."""
    # Imported late: it loads the cryptography package.
    from statefmt.encryption import parse_envelope

    with about(name):
        envelope = parse_envelope(content)
    if envelope is not None and envelope.serial is not None and envelope.lineage:
        return StateHead(envelope.serial, envelope.lineage, is_encrypted=True)
    # Some releases write neither: then the state must be decrypted.
    snapshot = loaded(context, name, content).result.snapshot
    return StateHead(snapshot.serial, snapshot.lineage, is_encrypted=envelope is not None)
