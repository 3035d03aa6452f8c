"""States where they are kept: their locks, and copies from one place to another.

>>> from statefmt import backends, run_context
>>> backends.lock_states(run_context(), ["samples/v4-regions.tfstate"])[0].status.value
'free'

`transferred` copies the states of some routes; `route` makes the one of a single state, and `backend_move` those of all
workspaces of a folder.
"""

from __future__ import annotations

from collections.abc import Iterable

from statefmt._arguments import check_functions
from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.context import RunContext
    from statefmt.edit.transfers.comparison import Comparison, StateHead, TransferAction
    from statefmt.edit.transfers.routes import BackendMove, PlaceName, backend_move, route, workspace_names
    from statefmt.edit.transfers.transfer import Route, Transfer, TransferTerms, transferred
    from statefmt.store.protocol import LockInfo, LockState, LockStatus

__all__ = [
    "BackendMove",
    "Comparison",
    "LockInfo",
    "LockState",
    "LockStatus",
    "PlaceName",
    "Route",
    "StateHead",
    "Transfer",
    "TransferAction",
    "TransferTerms",
    "backend_move",
    "lock_states",
    "remove_lock",
    "route",
    "transferred",
    "workspace_names",
]

__getattr__ = lazy_names(
    __name__,
    {
        "BackendMove": "statefmt.edit.transfers.routes",
        "Comparison": "statefmt.edit.transfers.comparison",
        "LockInfo": "statefmt.store.protocol",
        "LockState": "statefmt.store.protocol",
        "LockStatus": "statefmt.store.protocol",
        "PlaceName": "statefmt.edit.transfers.routes",
        "Route": "statefmt.edit.transfers.transfer",
        "StateHead": "statefmt.edit.transfers.comparison",
        "Transfer": "statefmt.edit.transfers.transfer",
        "TransferAction": "statefmt.edit.transfers.comparison",
        "TransferTerms": "statefmt.edit.transfers.transfer",
        "backend_move": "statefmt.edit.transfers.routes",
        "route": "statefmt.edit.transfers.routes",
        "transferred": "statefmt.edit.transfers.transfer",
        "workspace_names": "statefmt.edit.transfers.routes",
    },
)


def lock_states(context: RunContext, names: Iterable[str]) -> list[LockState]:
    """Return whether each of some states is locked, and by whom, without locking any.

    The names are those that `locations.current_state` returns. Raises StoreError if a place cannot be asked.
    """
    from statefmt.edit.stores import managed_store_at

    return [managed_store_at(context, name).lock_state() for name in names]


def remove_lock(context: RunContext, name: str, lock_id: str) -> LockInfo | None:
    """Remove the lock of a state, whoever holds it, and return its holder if that is known. The state stays as it is.

    Only an ID that is the lock's removes it. Raises StoreError if there is no such lock, if the backend refuses, or for
    a local file that a running process has locked.
    """
    from statefmt.edit.stores import managed_store_at

    return managed_store_at(context, name).remove_lock(lock_id)


check_functions(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
