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
from statefmt.formats.releases.releases import Fact, Release, Written, all_releases, facts_of, parse_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.formats.releases.downgrade import Fitted, fit, losses
    from statefmt.formats.releases.loss import Cause, Loss

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
        "Cause": "statefmt.formats.releases.loss",
        "Fitted": "statefmt.formats.releases.downgrade",
        "Loss": "statefmt.formats.releases.loss",
        "fit": "statefmt.formats.releases.downgrade",
        "losses": "statefmt.formats.releases.downgrade",
    },
)

check_functions(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
