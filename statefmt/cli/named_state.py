"""Finds and opens the state that a command names."""

from __future__ import annotations

import statefmt
from statefmt import State
from statefmt.cli.run import run_context
from statefmt.locations import current_state


def state_name(name: str | None) -> str:
    """Return the state for a command: the one named, else that of the current workspace. Raises StoreError."""
    return current_state(run_context()) if name is None else name


def opened_state(name: str | None) -> State:
    """Open and read the state for a command. Raises StoreError, StateError and EncryptionError."""
    return statefmt.open(state_name(name), context=run_context())
