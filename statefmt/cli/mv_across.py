"""`mv --to-state`: moves from one state to another one, as an operations file that nobody sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from statefmt.cli.applying import anywhere, carry_out_operations
from statefmt.cli.joint_write import joint_terms
from statefmt.cli.made_operations import short_names
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.operations_files import FileOutcome, MoveBlock, StateBlock, operations_text

if TYPE_CHECKING:
    # Most moves are within one state.
    from statefmt.operations_files import Ending


class MoveAcross(NamedTuple):
    """A move between two states; `address` is the new one, and `from_state` is None for that of the current folder.

    With `create`, the other state does not exist yet. With `allow_plain`, one of the two may be encrypted alone.
    """

    from_state: str | None
    to_state: str
    selector: str
    address: str | None
    rebind: bool = False
    create: bool = False
    allow_plain: bool = False


def move_across(wanted: MoveAcross, options: SurgeryOptions, ending: Ending | None, *, as_blocks: bool = False) -> int:
    """Move between two states, all or nothing, or end a move that was interrupted; return the exit status."""
    terms = joint_terms(options, "is for one state, and cannot be combined with --to-state")
    target = StateBlock(anywhere(wanted.to_state), create=wanted.create, allow_plain=wanted.allow_plain)
    source = StateBlock(anywhere(wanted.from_state))
    # The same names in any folder, so that --resume makes the same text.
    here, there = (*short_names((source.path, target.path)).values(), "target")[:2]
    goal = f"state.{there}" if wanted.address is None else f"state.{there}.{wanted.address}"
    move = MoveBlock(f"state.{here}.{wanted.selector}", goal, rebind=wanted.rebind)
    text = operations_text({here: source, there: target}, [move])
    given = [state for state in (wanted.from_state, wanted.to_state) if state is not None]
    more = () if wanted.from_state is not None else ("--from-state", anywhere(None))
    references = options.configuration.loaded()
    terms = terms._replace(
        ending=ending,
        asks=lambda outcome: not options.write.yes and _must_be_confirmed(outcome),
        as_blocks=as_blocks,
        references={} if references is None else {there: references},
    )
    return carry_out_operations("mv", text, terms, given, more, create_options={there: "--create"})


def _must_be_confirmed(outcome: FileOutcome) -> bool:
    """Return whether something changes that nobody may have thought of."""
    edits = outcome.edits
    return bool(edits.crossing or any(edit.joins for edit in edits.edits.values()))
