"""Repairs a state in the pipeline of all edits."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.damaged import loaded_to_mend
from statefmt.edit.operations.restore import with_serial
from statefmt.edit.pipeline import Operation, Proposal
from statefmt.edit.repairs.decisions import Decision
from statefmt.edit.repairs.find import is_fatal
from statefmt.edit.repairs.repair import Decide, Repair, repaired
from statefmt.edit.session import LoadedState, StateFileError, with_next_serial
from statefmt.formats.reading.inspect import inspect, read
from statefmt.model.errors import NotAStateError, StateError, SurgeryError
from statefmt.pieces import Span
from statefmt.store.reading import display_name


def loaded_to_repair(context: RunContext, name: str, data: bytes) -> LoadedState:
    """Load a state as loaded() does; if it can only be parsed, with an empty snapshot of its serial and lineage.

    Raises StateFileError if it is not a state of a known format, and EncryptionError if it cannot be decrypted.
    """
    state, error = loaded_to_mend(context, name, data)
    if error is not None and isinstance(error.__cause__, NotAStateError):
        raise error
    return state


def repairing(decide: Decide, decisions: Collection[Decision]) -> Operation[Repair]:
    """Return the operation that mends what is decided. The serial rises by one if anything changes.

    It raises SurgeryError if a decision decides nothing, or if the result could not be read.
    """

    def propose(state: LoadedState) -> Proposal[Repair]:
        repair = repaired(state.data, decide)
        unused = [decision for decision in decisions if decision not in repair.used]
        if unused:
            raise SurgeryError(f"{display_name(state.name)}: no defect for the decision: {unused[0]}")
        if not repair.mended:
            return Proposal(repair, [Span(0, len(state.data))], check=False)
        fatal = [defect for defect in repair.left if is_fatal(defect)]
        if fatal:
            first = fatal[0]
            raise SurgeryError(
                f"{display_name(state.name)}: without a decision on {first.finding.code} at "
                f"{first.place or 'the whole file'} the state could still not be read ({len(fatal)} such "
                f"{'defect' if len(fatal) == 1 else 'defects'}); nothing was written"
            )
        try:
            after = read(repair.content).snapshot
        except StateError as error:
            raise StateFileError(f"{display_name(state.name)} (repaired, not written)", error) from error
        serial = max(after.serial, state.result.snapshot.serial)
        following = with_next_serial(structs.replace(after, serial=serial), display_name(state.name)).serial
        # The rules have nothing to compare with if the state could not be read.
        was_read = inspect(state.data).snapshot is not None
        return Proposal(repair, [with_serial(repair.content, following)], check=was_read)

    return propose
