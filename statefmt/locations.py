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


def current_state(context: RunContext) -> str:
    """Return the location of the state of the current folder and workspace.

    The environment of the context may name the workspace in TF_WORKSPACE, and the data directory in TF_DATA_DIR. Raises
    StoreError if the location contains control characters or leads outside the folder, and RemoteStateError if the
    folder keeps its state in a backend.
    """
    # Imported late: a program may only need the names.
    from statefmt.edit.session import state_name

    return state_name(context, None)


def __dir__() -> list[str]:
    return sorted(__all__)
