"""Finds moves in plans: objects that would be destroyed, and created again at another address with equal attributes.

    found = propose_moves({"": plan})       # moves, ambiguous groups, and what is left over

Only what a plan knows is compared, and nothing is guessed.
"""

from statefmt.analysis.moves.ignored import (
    IgnoredAttribute as IgnoredAttribute,
    parse_ignored_attribute as parse_ignored_attribute,
)
from statefmt.analysis.moves.proposals import (
    AmbiguousGroup as AmbiguousGroup,
    MovedInstance as MovedInstance,
    MoveEvidence as MoveEvidence,
    NearlyEqual as NearlyEqual,
    PlannedPlace as PlannedPlace,
    Proposals as Proposals,
    ProposedMove as ProposedMove,
)
from statefmt.analysis.moves.propose import propose_moves as propose_moves
