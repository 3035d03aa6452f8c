"""States where they are kept: their locks, and copies from one place to another.

>>> from statefmt import backends, run_context
>>> backends.lock_states(run_context(), ["samples/v4-regions.tfstate"])[0].status.value
'free'

`transferred` copies the states of some routes; `route` makes the route of a single state, and `backend_move` the routes
of all workspaces of a folder.
"""

from __future__ import annotations

from collections.abc import Iterable

from statefmt._lazy import checked, lazy_imports

# Not imported from typing, which takes long to load. Type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.context import RunContext

with lazy_imports(globals()):
    from statefmt.edit.transfers import (
        BackendMove as BackendMove,
        Comparison as Comparison,
        PlaceName as PlaceName,
        Route as Route,
        StateHead as StateHead,
        Transfer as Transfer,
        TransferAction as TransferAction,
        TransferTerms as TransferTerms,
        backend_move as backend_move,
        route as route,
        transferred as transferred,
        workspace_names as workspace_names,
    )
    from statefmt.store.protocol import LockInfo as LockInfo, LockState as LockState, LockStatus as LockStatus


@checked
def lock_states(context: RunContext, names: Iterable[str]) -> list[LockState]:
    """Return whether each of some states is locked, and by whom, without locking any.

    The names come from `locations.current_state`. Raises StoreError if a backend cannot be asked.
    """
    from statefmt.edit.session import managed_store_at

    return [managed_store_at(context, name).lock_state() for name in names]


@checked
def remove_lock(context: RunContext, name: str, lock_id: str) -> LockInfo | None:
    """Remove the lock of a state, and return its holder if known. The state stays unchanged.

    The ID must match the lock. Raises StoreError if there is no such lock, if the backend refuses, or for a local file
    that a running process has locked.
    """
    from statefmt.edit.session import managed_store_at

    return managed_store_at(context, name).remove_lock(lock_id)
