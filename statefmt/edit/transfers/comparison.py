"""Decides whether a state may be copied over what another place has.

Stricter than `state push`, which accepts a state without a lineage.
Source: OpenTofu `internal/states/statemgr/migrate.go` (CheckValidImport).
"""

from __future__ import annotations

import os
from enum import StrEnum
from itertools import chain, count

from msgspec import Struct

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, loaded
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.model.errors import StatetoolError, StoreError, Wording
from statefmt.sealed import about
from statefmt.store.backends import RemoteName, state_words
from statefmt.store.reading import STANDARD_INPUT, display_name
from statefmt.text import shell_line


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
            "are the same state; nothing was written.",
            restoring(name, target_name),
        )
    if head.lineage != replaced.lineage:
        raise StoreError(
            f"{target_name}: there is another state already, with the lineage {replaced.lineage}, not {head.lineage}; "
            "nothing was written.",
            _joining(context, source, target),
        )
    if replaced.serial >= head.serial:
        raise StoreError(
            f"{target_name}: its serial is {replaced.serial}, and that of {name} is {head.serial}: only a state with a "
            "lower serial is replaced; nothing was written.",
            restoring(name, target_name),
        )
    return Comparison(TransferAction.REPLACE, head, replaced)


def restoring(name: str, target: str) -> Wording:
    """Return the end of a message, with the command that puts the content of one state in place of another."""
    words = ["statetool", "restore", "-" if isinstance(name, RemoteName) else name, *state_words(target)]
    command = shell_line(words)
    if isinstance(name, RemoteName):
        command = f"{shell_line(['statetool', 'pull', *name.words])} | {command} --yes"
    return Wording(f" To put this content back nevertheless, with a serial higher than both: `{command}`", "")


def _joining(context: RunContext, source: tuple[str, bytes], target: tuple[str, bytes]) -> Wording:
    try:
        return joining(*(loaded(context, name, content) for name, content in (source, target)))
    except StatetoolError:
        # What cannot be read cannot be joined.
        return Wording("", "")


def joining(source: LoadedState, target: LoadedState) -> Wording:
    """Return the end of a message, with the commands that move what a state has to another one; it may be empty."""
    name, target_name = source.name, target.name
    one, other = _join_word(name), _join_word(target_name)
    if one is None or other is None or _is_empty(source):
        return Wording("", "")
    if source.seal is not None or target.seal is not None:
        return Wording(
            " `statetool join` puts what one state has into the other one, with --encryption for both, and "
            "--allow-plain if only one is encrypted",
            "",
        )
    join = f"`{shell_line(['statetool', 'join', one, '--into', other])}`"
    if source.result.version != CURRENT_VERSION:
        join = f"`{shell_line(['statetool', 'upgrade', '-i', one])}` and then {join}"
    if _is_empty(target):
        return Wording(
            f" {display_name(target_name)} is empty: {join} moves everything from {display_name(name)} into it, and "
            "keeps its lineage",
            "",
        )
    away = shell_line(["statetool", "join", other, "--into", _new_file(), "--create"])
    return Wording(
        f" To replace what it has, move that to a new file with `{away}`, and then everything from "
        f"{display_name(name)} into it with {join}",
        "",
    )


def _is_empty(state: LoadedState) -> bool:
    return not state.result.snapshot.resources and not state.result.snapshot.outputs


def _new_file() -> str:
    names = chain(["saved.tfstate"], (f"saved-{number}.tfstate" for number in count(2)))
    return next(name for name in names if not os.path.lexists(name))


def _join_word(name: str) -> str | None:
    """Return the word that names a state in `join`; None for standard input, or if options such as a workspace do."""
    if name == STANDARD_INPUT:
        return None
    if not isinstance(name, RemoteName):
        return name
    return {0: ".", 2: name.words[-1] if name.words else "."}.get(len(name.words))


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
