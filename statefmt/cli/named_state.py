"""Finds and opens the state that a command names."""

from __future__ import annotations

import statefmt
from statefmt import State
from statefmt.cli.run import run_context
from statefmt.locations import current_state


def state_name(name: str | None, *, to_read: bool = False) -> str:
    """Return the state for a command: the file named, or the state of the folder named, else of the current one.

    Raises StoreError, also for a state outside the folder, unless it is only `to_read`.
    """
    return current_state(run_context(), name, to_read=to_read)


def opened_state(name: str | None) -> State:
    """Open and read the state for a command that does not write. Raises StoreError, StateError and EncryptionError."""
    return statefmt.open(state_name(name, to_read=True), context=run_context())
