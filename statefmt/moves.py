"""Moves that plans show: objects that would be destroyed, and created again at another address.

>>> import statefmt
>>> from statefmt import moves, plans
>>> plan = plans.open_plan("samples/moves/plan.json", statefmt.run_context())
>>> for move in moves.propose_moves({"": plan}).moves:
...     print(move.source, move.target)
module.network module.net
terraform_data.web terraform_data.frontend
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.diff.model import Movable
    from statefmt.analysis.moves import propose_moves
    from statefmt.analysis.moves.proposals import (
        AmbiguousGroup,
        IgnoredAttribute,
        MovedInstance,
        MoveEvidence,
        NearlyEqual,
        PlannedPlace,
        Proposals,
        ProposedMove,
        parse_ignored_attribute,
    )

__all__ = [
    "AmbiguousGroup",
    "IgnoredAttribute",
    "Movable",
    "MoveEvidence",
    "MovedInstance",
    "NearlyEqual",
    "PlannedPlace",
    "Proposals",
    "ProposedMove",
    "parse_ignored_attribute",
    "propose_moves",
]

__getattr__ = lazy_names(
    __name__,
    {
        "AmbiguousGroup": "statefmt.analysis.moves.proposals",
        "MoveEvidence": "statefmt.analysis.moves.proposals",
        "IgnoredAttribute": "statefmt.analysis.moves.proposals",
        "Movable": "statefmt.analysis.diff",
        "MovedInstance": "statefmt.analysis.moves.proposals",
        "NearlyEqual": "statefmt.analysis.moves.proposals",
        "PlannedPlace": "statefmt.analysis.moves.proposals",
        "Proposals": "statefmt.analysis.moves.proposals",
        "ProposedMove": "statefmt.analysis.moves.proposals",
        "parse_ignored_attribute": "statefmt.analysis.moves.proposals",
        "propose_moves": "statefmt.analysis.moves",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
