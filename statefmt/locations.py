"""Where states are: that of the current folder and workspace, those below a folder, and how messages name them.

>>> from statefmt import locations, run_context
>>> locations.current_state(run_context(environment={"TF_WORKSPACE": "prod"}))
'terraform.tfstate.d/prod/terraform.tfstate'
>>> "samples/v4-regions.tfstate" in locations.find_states(["samples"])
True
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.context import RunContext
    from statefmt.store.discover import find_states
    from statefmt.store.reading import STANDARD_INPUT, display_name

__all__ = ["STANDARD_INPUT", "current_state", "display_name", "find_states"]

__getattr__ = lazy_names(
    __name__,
    {
        "STANDARD_INPUT": "statefmt.store.reading",
        "display_name": "statefmt.store.reading",
        "find_states": "statefmt.store.discover",
    },
)


def current_state(context: RunContext, folder: str | None = None, *, to_read: bool = False) -> str:
    """Return the location of the state of a folder and its workspace, by default of the current folder.

    The name of a file, and `-`, are returned as they are. The environment of the context may name the workspace in
    TF_WORKSPACE, and the data directory in TF_DATA_DIR; the backend is the one that `init` recorded, else that of the
    configuration. Raises StoreError if it cannot be found, if the location contains control characters or, unless it is
    only `to_read`, leads outside the folder; and RemoteStateError if the folder keeps its state in a backend.
    """
    # Imported late: a program may only need the names.
    from statefmt.edit.session import state_name

    return state_name(context, folder, to_read=to_read)


def __dir__() -> list[str]:
    return sorted(__all__)
