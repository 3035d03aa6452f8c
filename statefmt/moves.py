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

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.diff.model import Movable as Movable
    from statefmt.analysis.moves import propose_moves as propose_moves
    from statefmt.analysis.moves.proposals import (
        AmbiguousGroup as AmbiguousGroup,
        IgnoredAttribute as IgnoredAttribute,
        MovedInstance as MovedInstance,
        MoveEvidence as MoveEvidence,
        NearlyEqual as NearlyEqual,
        PlannedPlace as PlannedPlace,
        Proposals as Proposals,
        ProposedMove as ProposedMove,
        parse_ignored_attribute as parse_ignored_attribute,
    )
