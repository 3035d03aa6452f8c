"""Edits and repairs a state as text: the whole state, the attributes of one instance, or its defects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.edit.hand import EditableText, instance_text, refuse_older_format, replaced_by, text_of_state
from statefmt.edit.pipeline import EditOutcome, OpenedEdit, Operation, Proposal, Terms, surgical
from statefmt.edit.repairs import Decision, RepairResult, loaded_to_repair, repairing
from statefmt.edit.repairs.find import FoundDefects, found_defects
from statefmt.edit.repairs.member_choices import Defect
from statefmt.edit.session import LoadedState
from statefmt.formats.raw_json.positions import Position, finding_positions, positions
from statefmt.library._handle import StateHandle, located
from statefmt.library.transaction import EditResult, committed, result_of
from statefmt.model.errors import StateError, SurgeryError
from statefmt.model.findings import Finding
from statefmt.store.remote.interruption import interruptible


class _Subject(NamedTuple):
    """A text, what makes an operation of its new version, and the pointer to it in the state."""

    text: EditableText
    operation: Callable[[bytes], Operation[EditOutcome]]
    pointer: str


class TextEdit:
    """An edit of a state as text between its lock and its end, made by `State.edit_text()`.

    Propose a new text, then write it. Both may be repeated: a refused text, and a write that failed, change nothing.
    """

    def __init__(
        self,
        opened: OpenedEdit,
        address: str | None,
        damage: StateError | None,
        references: ProviderReferences | None,
        written: Callable[[EditResult], None] | None,
    ) -> None:
        """Use `State.edit_text()` instead, which locks the state."""
        self._opened = opened
        self._damage = damage
        self._subject = (
            _whole(opened, references, is_damaged=damage is not None)
            if address is None
            else _attributes(opened, address, references)
        )
        self._written = written
        self._proposed: Proposal[EditOutcome] | None = None
        self._result: EditResult | None = None
        self._open = True

    @property
    def text(self) -> bytes:
        """The text to edit, with all secrets: the state as it is stored, or indented if it is on one line."""
        return self._subject.text.shown

    @property
    def damage(self) -> StateError | None:
        """Why the state cannot be used, and a new text has to mend it; None if it can."""
        return self._damage

    @property
    def is_encrypted(self) -> bool:
        """Whether the file is encrypted; the text is not."""
        return self._opened.state.seal is not None

    @property
    def is_written(self) -> bool:
        """Whether a text was written, to the state or to `out`."""
        return self._result is not None and self._result.written

    @property
    def serial(self) -> int:
        """The serial of the state that was read; 0 if it is too damaged to say."""
        return self._opened.state.result.snapshot.serial

    def propose(self, text: bytes) -> EditResult:
        """Check a new text, and return what `write()` would write, to show it and ask.

        Raises StateError if the result is not a readable state or the edit would add an error finding, and SurgeryError
        if it would make another state of it: another lineage, or a lower serial.
        """
        self._refuse_ended()
        self._proposed = None
        self._proposed = self._opened.proposed(self._subject.operation(text))
        return result_of(self._proposed.outcome)

    def write(self) -> EditResult:
        """Write the text that was proposed last, with the next serial; a dry run or the same content writes nothing.

        Raises StoreError and leaves the state unchanged if it cannot be written.
        """
        self._refuse_ended()
        if self._proposed is None:
            raise SurgeryError("no text was proposed; nothing was written")
        committed(self._opened, self._proposed, self._end)
        assert self._result is not None
        return self._result

    def positions(self, text: bytes, findings: Sequence[Finding]) -> Mapping[str, Position]:
        """Return the line and column in a proposed text of each finding by its pointer, if it is about the text."""
        pointer = self._subject.pointer
        if not pointer:
            return finding_positions(text, findings)
        inside = {one.pointer: one.pointer.removeprefix(pointer) for one in findings if one.pointer.startswith(pointer)}
        places = positions(text, inside.values())
        return {whole: places[part] for whole, part in inside.items()}

    def _refuse_ended(self) -> None:
        if not self._open:
            raise SurgeryError("the edit has ended; start another one")

    def _end(self, result: EditResult) -> None:
        self._result = result
        if result.written and self._written is not None:
            self._written(result)


@contextmanager
def text_edit(
    opened: OpenedEdit,
    address: str | None,
    damage: StateError | None,
    references: ProviderReferences | None,
    written: Callable[[EditResult], None] | None,
) -> Iterator[TextEdit]:
    """Edit an opened state as text. Raises `damage`, if there is any, when a single instance is edited."""
    if damage is not None and address is not None:
        raise damage
    edit = TextEdit(opened, address, damage, references, written)
    try:
        yield edit
    finally:
        edit._open = False


def _whole(opened: OpenedEdit, references: ProviderReferences | None, *, is_damaged: bool) -> _Subject:
    if not is_damaged:
        refuse_older_format(opened.state)
    text = text_of_state(opened.state.data)
    return _Subject(text, lambda edited: replaced_by(text, edited, is_damaged=is_damaged, references=references), "")


def _attributes(opened: OpenedEdit, address: str, references: ProviderReferences | None) -> _Subject:
    instance = instance_text(opened.state.result.snapshot, address)
    return _Subject(
        instance.text,
        lambda edited: surgical(lambda snapshot: instance.edit(snapshot, edited), references),
        instance.pointer,
    )


def listed_defects(handle: StateHandle, references: ProviderReferences | None, *, show_sensitive: bool) -> FoundDefects:
    """Return the defects of a state, read anew; see `State.defects()`."""
    handle.refuse_nested()
    with located(handle.location):
        data = handle.context.read(handle.location)
        found = loaded_to_repair(handle.context, handle.location, data)
        return found_defects(found, references, show_sensitive=show_sensitive)


def repaired(
    handle: StateHandle,
    terms: Terms,
    decisions: Sequence[Decision],
    ask: Callable[[Defect], str | None] | None,
    references: ProviderReferences | None,
    *,
    show_sensitive: bool,
    agreed: Callable[[RepairResult], bool],
    written: Callable[[RepairResult], None],
) -> RepairResult:
    """Repair a state in one edit; see `State.repair()`."""
    ended: list[RepairResult] = []

    def was_written(result: RepairResult, kept: str | None) -> None:
        ended.append(replace(result, backup=None if kept is None else Path(kept), written=True))
        written(ended[0])

    def opening(data: bytes) -> LoadedState:
        return loaded_to_repair(handle.context, handle.location, data)

    # While somebody is asked, a signal must not leave the lock behind.
    signals = nullcontext() if ask is None else interruptible()
    with signals, handle.opened(terms, opening) as opened:
        proposal = opened.proposed(repairing(decisions, ask, references, show_sensitive=show_sensitive))
        was_agreed = opened.commit(proposal, agreed=agreed, written=was_written)
    if terms.in_place and was_agreed:
        handle.store.tidy()
    return ended[0] if ended else proposal.outcome
