"""Makes the bytes that a change of several states may write, encrypted where the states are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from statefmt.edit.session import LoadedState
from statefmt.edit.transactions._contents import hash_before
from statefmt.edit.transactions._staged import Write
from statefmt.pieces import Pieces
from statefmt.store.local.journal import checksum

# What to write, by the state and the hash of its plain content.
Contents: TypeAlias = dict[tuple[str, str], bytes]


def contents_before(states: Mapping[str, LoadedState]) -> Contents:
    """Return the contents that take the writes back."""
    return {(name, hash_before(state)): state.stored for name, state in states.items()}


def contents_after(states: Mapping[str, LoadedState], writes: Iterable[Write]) -> Contents:
    """Return the contents of the writes, encrypted where the state is. Raises EncryptionError."""
    return {(write.state, checksum(write.content)): states[write.state].to_store(write.content) for write in writes}


def pieces_after(states: Mapping[str, LoadedState], writes: Iterable[Write]) -> dict[tuple[str, str], Pieces]:
    """Return the pieces of the writes to plain states."""
    return {
        (write.state, checksum(write.content)): write.pieces
        for write in writes
        if write.pieces is not None and not states[write.state].is_new and states[write.state].seal is None
    }
