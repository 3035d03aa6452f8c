"""Repairs a state in the pipeline of all edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.operations.undo import loaded_to_mend, with_serial
from statefmt.edit.pipeline import Operation, Proposal
from statefmt.edit.repairs._instance_choices import shown_id
from statefmt.edit.repairs._loose_state import INSTANCES, RESOURCES, LooseState
from statefmt.edit.repairs.find import is_fatal
from statefmt.edit.repairs.member_choices import Defect
from statefmt.edit.repairs.repair import (
    ANYWHERE,
    Decided,
    Decision,
    DecisionIndex,
    MendedDefect,
    decision_for,
    repaired,
)
from statefmt.edit.session import LoadedState, StateFileError, with_next_serial
from statefmt.formats.raw_json import utf8_problem
from statefmt.formats.reading import inspect, read
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.errors import NotAStateError, StateError, SurgeryError
from statefmt.model.findings import Code, Finding, Severity
from statefmt.pieces import Span
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


# Returns the choice for a defect that no decision is about, such as `keep=first`; None to leave the defect.
Ask: TypeAlias = Callable[[Defect], "str | None"]


def loaded_to_repair(context: RunContext, name: str, data: bytes) -> LoadedState:
    """Load a state as loaded() does; if it can only be parsed, with an empty snapshot of its serial and lineage.

    Raises StateFileError if it is not a state of a known format, and EncryptionError if it cannot be decrypted.
    """
    state, error = loaded_to_mend(context, name, data)
    cause = None if error is None else error.__cause__
    if error is not None and isinstance(cause, NotAStateError) and not _is_in_another_encoding(cause):
        raise error
    return state


def _is_in_another_encoding(error: NotAStateError) -> bool:
    """Return whether the file is JSON but for bytes that are not UTF-8."""
    return all(finding.code == Code.NOT_UTF8 for finding in error.findings)


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The result of a repair, or of its dry run.

    `mended` are the defects with what was decided for them, `left` the defects that nothing was decided for.
    `forgotten` names the objects and outputs that the state no longer has. `findings` are the errors that the rules
    find in the result of a state that could not be read before. `serial` is that of the result, `backup` the path of
    the backup, None if there is none. `written` is whether the result was written, to the state or elsewhere.
    """

    mended: tuple[MendedDefect, ...]
    left: tuple[Defect, ...]
    forgotten: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    serial: int = 0
    backup: Path | None = None
    written: bool = False


def repairing(
    decisions: Collection[Decision],
    ask: Ask | None = None,
    references: ProviderReferences | None = None,
    *,
    show_sensitive: bool = False,
) -> Operation[RepairResult]:
    """Return the operation that mends what is decided. The serial rises by one if anything changes.

    `ask` decides where no decision does. `references` are those of the configuration, which choices then offer; secret
    ids are shown if `show_sensitive` is set. The operation raises SurgeryError if a decision decides nothing, or if the
    result could not be read.
    """

    index = DecisionIndex(decisions)

    def decide(defect: Defect) -> Decided | None:
        found = index.decided(defect)
        if found is not None or ask is None or not defect.choices:
            return found
        choice = ask(defect)
        return None if choice is None else DecisionIndex([decision_for(defect, choice)]).decided(defect)

    def propose(state: LoadedState) -> Proposal[RepairResult]:
        repair = repaired(state.data, decide, references, show_sensitive=show_sensitive)
        used = repair.used
        _refuse_unused([decision for decision in decisions if decision not in used], repair.left)
        if not repair.mended:
            return Proposal(RepairResult((), repair.left), [Span(0, len(state.data))], check=False)
        _refuse_unreadable([defect for defect in repair.left if is_fatal(defect)])
        try:
            after = read(repair.content).snapshot
        except StateError as error:
            raise StateFileError(f"{display_name(state.name)} (repaired, not written)", error) from error
        is_given = any(one.defect.finding.code == Code.SERIAL_ODD for one in repair.mended)
        serial = after.serial if is_given else max(after.serial, state.result.snapshot.serial)
        following = with_next_serial(structs.replace(after, serial=serial), display_name(state.name)).serial
        content = with_serial(repair.content, following)
        # The rules have nothing to compare with if the state could not be read.
        was_read = inspect(state.data).snapshot is not None
        lost = forgotten(state.data, content, show_sensitive=show_sensitive)
        errors = () if was_read else _errors(state, content)
        result = RepairResult(repair.mended, repair.left, lost, errors, following)
        return Proposal(result, [content], check=was_read)

    return propose


def _refuse_unused(unused: Sequence[Decision], left: Sequence[Defect]) -> None:
    if not unused:
        return
    first = unused[0]
    origin = f"{first.origin}: " if first.origin else ""
    if first.place == ANYWHERE and any(defect.finding.code == first.code and defect.choices for defect in left):
        raise SurgeryError(f"{origin}this choice fits one defect only, so name its place instead of *: {first}")
    raise SurgeryError(f"{origin}no defect for the decision: {first}")


def _refuse_unreadable(fatal: Sequence[Defect]) -> None:
    if not fatal:
        return
    first = fatal[0]
    count = f"{len(fatal)} such {'defect' if len(fatal) == 1 else 'defects'}"
    raise SurgeryError(
        f"without a decision on {first.finding.code} at {first.place or 'the whole file'} the state could still not be "
        f"read ({count}); nothing was written",
        address=first.finding.address or None,
    )


def _errors(state: LoadedState, content: bytes) -> tuple[Finding, ...]:
    # Imported late: a list of defects needs no rules.
    from statefmt.lint.check import check

    opened = None if state.seal is None else state.seal.opened
    found = check(content, name=state.name, opened=opened)
    return tuple(finding for finding in found if finding.severity is Severity.ERROR)


_NOT_ASCII: Final = bytes(range(0x80, 0x100))


def forgotten(before: bytes, after: bytes, *, show_sensitive: bool = False) -> tuple[str, ...]:
    """Return the objects and outputs that only the content before a repair has, in file order.

    An object is named by its address, and by its id if it has one; `show_sensitive` shows ids that are marked as
    sensitive. An object that got another address is not forgotten. Only format version 4 is compared.
    """
    if before == after:
        return ()
    old = LooseState(before, show_sensitive=show_sensitive)
    new = LooseState(after)
    # Bytes that are not UTF-8 change everywhere.
    ignored = b"" if utf8_problem(before) is None else _NOT_ASCII
    left = Counter(text for one in _objects(new) for text in _attributes(new, one, ignored))
    found: list[str] = []
    for one in _objects(old):
        kept = [text for text in _attributes(old, one, ignored) if left[text]]
        if not kept:
            found.append(_named(old, one))
        left.subtract(kept)
    outputs = set(new.names(("outputs",)))
    return (*found, *(f"output.{name}" for name in dict.fromkeys(old.names(("outputs",))) if name not in outputs))


def _objects(state: LooseState) -> Iterator[JsonPath]:
    for resource in state.parts((RESOURCES,)):
        yield from state.parts((*resource, INSTANCES))


def _attributes(state: LooseState, instance: JsonPath, ignored: bytes) -> list[bytes]:
    """Return both forms of an object's attributes, one of which may be removed; an object without them has one."""
    forms = [state.raw((*instance, name)) for name in ("attributes", "attributes_flat")]
    return [text.translate(None, ignored) for text in forms if text is not None and text != b"null"] or [b""]


def _named(state: LooseState, instance: JsonPath) -> str:
    named = shown_id(state, instance)
    return state.instance_address(instance) + (f" (id {named})" if named else "")
