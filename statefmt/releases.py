"""What each release of OpenTofu and Terraform reads, writes and keeps of a state.

>>> from statefmt import open, releases
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> losses = releases.losses(snapshot, releases.parse_release("opentofu-1.8"))
>>> {loss.cause.name for loss in losses} >= {"PROVIDER_KEY"}
True
"""

from __future__ import annotations

from statefmt._arguments import check_functions
from statefmt._lazy import lazy_names
from statefmt.formats.releases import Fact, Release, Written, all_releases, facts_of, parse_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.formats.losses import Cause, Fitted, Loss, fit, losses

__all__ = [
    "Cause",
    "Fact",
    "Fitted",
    "Loss",
    "Release",
    "Written",
    "all_releases",
    "facts_of",
    "fit",
    "losses",
    "parse_release",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Cause": "statefmt.formats.losses",
        "Fitted": "statefmt.formats.losses",
        "Loss": "statefmt.formats.losses",
        "fit": "statefmt.formats.losses",
        "losses": "statefmt.formats.losses",
    },
)

check_functions(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
