"""Repairs a state in the pipeline of all edits."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.operations.restore import with_serial
from statefmt.edit.pipeline import Operation, Proposal
from statefmt.edit.repairs.decisions import Decision
from statefmt.edit.repairs.document import LooseDocument
from statefmt.edit.repairs.find import is_fatal
from statefmt.edit.repairs.repair import Decide, Repair, repaired
from statefmt.edit.session import LoadedState, StateFileError, loaded, with_next_serial
from statefmt.formats.reading.inspect import ReadResult, inspect, read
from statefmt.formats.style import style_of
from statefmt.model.codes import NO_STATE, Code
from statefmt.model.errors import StateError, SurgeryError
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.pieces import Span
from statefmt.sealed import Seal, opened
from statefmt.store.reading import display_name


def parsed(context: RunContext, name: str, data: bytes) -> LoadedState:
    """Load a state as loaded() does; if it can only be parsed, with an empty snapshot of its serial and lineage.

    Raises StateFileError if it is not a state of a known format, and EncryptionError if it cannot be decrypted.
    """
    try:
        return loaded(context, name, data)
    except StateFileError:
        plain, seal = data, None
        inspection = inspect(data)
        if any(finding.code == Code.ENCRYPTED for finding in inspection.findings):
            found = opened(context, name, data)
            configuration = None if found is None else context.configuration()
            if found is None or configuration is None:
                raise
            plain, seal = found.plain, Seal(data, found, configuration)
            inspection = inspect(plain)
        is_state = not any(finding.code in NO_STATE for finding in inspection.findings)
        if inspection.version is None or not is_state:
            raise
        document = LooseDocument(plain)
        serial = (document.raw(("serial",)) or b"").decode("ascii", "replace")
        number = int(serial) if serial.isdecimal() and len(serial) <= len(str(HIGHEST_SERIAL)) else 0
        snapshot = Snapshot(serial=min(number, HIGHEST_SERIAL), lineage=document.string(("lineage",)))
        result = ReadResult(snapshot, (), inspection.version, style_of(plain))
        return LoadedState(name, plain, result, seal=seal)


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
