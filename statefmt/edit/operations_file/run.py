"""Runs the operations of a file in order over the snapshots of its states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final
from uuid import UUID

from statefmt.analysis.selection.criteria import Criteria
from statefmt.edit.changes.arriving import OtherBindingError
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.envelope import new_lineage, set_serial
from statefmt.edit.operations.replace_provider import parse_replaced
from statefmt.edit.operations_file._addresses import by_state, state_address
from statefmt.edit.operations_file._model import (
    FileOperation,
    IdentityBlock,
    JoinBlock,
    MoveBlock,
    OperationsFile,
    ReplaceProviderBlock,
    SetSerialBlock,
)
from statefmt.edit.operations_file._parts import moved_within, provided
from statefmt.edit.operations_file._results import FileEdits
from statefmt.edit.operations_file._selecting import known_providers, selecting
from statefmt.edit.operations_file._working_states import WorkingStates
from statefmt.edit.requests.choose import Note
from statefmt.edit.requests.mv import mv_request
from statefmt.edit.requests.replace_provider import replace_provider_request
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.errors import AddressError, MessagePart, SelectionError, SurgeryError
from statefmt.model.snapshot import Snapshot
from statefmt.text import pattern

_ARGUMENT: Final = pattern(r"(\w+)=True")
_OPERATION: Final = pattern(r"(\w+)\(\)")


def run(file: OperationsFile, snapshots: Mapping[str, Snapshot], note: Note = lambda _: None) -> FileEdits:
    """Run the operations in order; `snapshots` has all states of the file by their names.

    Raises SurgeryError with the position of the operation that does not apply.
    """
    running = _Run(snapshots, note)
    for operation in file.operations:
        try:
            running.run(operation)
        except (SelectionError, SurgeryError) as error:
            if file.in_memory:
                if isinstance(error, OtherBindingError):
                    raise
                raise SurgeryError(*error.parts, address=error.address) from error
            parts = (error.reason, *error.way_out) if isinstance(error, OtherBindingError) else error.parts
            text = "".join(map(_in_file, parts))
            raise SurgeryError(f"{operation.range}: {text}", address=error.address) from error
    return running.states.result


def _in_file(part: MessagePart) -> str:
    """Word an argument or a function as what it is in a file: `whole_resource = true`, a `rebind` block."""
    if isinstance(part, str):
        return part
    if argument := _ARGUMENT.fullmatch(part.in_program):
        return f"{argument[1]} = true"
    if operation := _OPERATION.fullmatch(part.in_program):
        return f"a {operation[1]} block"
    return part.in_program


class _Run:
    """Runs operations on `states`, each by its kind."""

    def __init__(self, snapshots: Mapping[str, Snapshot], note: Note) -> None:
        self.states = WorkingStates(snapshots)
        self._names = snapshots.keys()
        self._note = note

    def run(self, operation: FileOperation) -> None:
        block = operation.block
        if isinstance(block, MoveBlock):
            self._move(block)
        elif isinstance(block, JoinBlock):
            self._join(block)
        elif isinstance(block, ReplaceProviderBlock):
            self._replace_provider(block)
        elif isinstance(block, IdentityBlock):
            self._identify(block)
        else:
            edit, part = selecting(block, self._note)
            for name, selectors in by_state(block.of, self._names).items():
                self.states.edit(name, partial(part, selectors), partial(edit, Criteria(selectors=selectors)))

    def _identify(self, block: IdentityBlock) -> None:
        edit: Callable[[Snapshot], Edit]
        if isinstance(block, SetSerialBlock):
            edit = partial(set_serial, serial=block.serial)
        else:
            try:
                edit = partial(new_lineage, lineage=UUID(block.lineage))
            except ValueError as error:
                raise SurgeryError(f"{block.lineage!r} is not a UUID") from error
        self.states.edit(self._only(block.state, "state"), lambda _: (), edit)

    def _only(self, name: str | None, arguments: str) -> str:
        """Return the name of a state; None if the file has no other. Raises SurgeryError and SelectionError."""
        if name is None and len(self._names) > 1:
            raise SurgeryError(f"the file names several states: give {arguments}")
        found = next(iter(self._names)) if name is None else name
        if found not in self._names:
            raise SelectionError(f"the file names no state {found!r}")
        return found

    def _move(self, block: MoveBlock) -> None:
        whole = self._whole_state(block.to)
        if whole is not None:
            for name, selectors in by_state(block.from_, self._names).items():
                self.states.transfer(block, name, whole, selectors, None)
            return
        if not isinstance(block.from_, str):
            raise SurgeryError("move: a list goes to a whole state: to = state.NAME")
        source, target = (state_address(text, self._names) for text in (block.from_, block.to))
        if source.state != target.state:
            self.states.transfer(block, source.state, target.state, (source.selector,), target.selector)
            return
        self.states.edit(
            source.state,
            lambda state: moved_within(state, source.selector, target.selector),
            lambda state: mv_request(state, source.selector, target.selector, rebind=block.rebind, way_out=""),
        )

    def _join(self, block: JoinBlock) -> None:
        source, target = (self._named(text) for text in (block.from_, block.to))
        outputs_from = None if block.outputs_from is None else self._named(block.outputs_from)
        try:
            prefix = None if block.prefix is None else parse_module_instance(block.prefix)
        except AddressError as error:
            raise SurgeryError(f"prefix: {block.prefix} is not the address of a module") from error
        self.states.join(source, target, prefix, outputs_from)

    def _whole_state(self, text: str) -> str | None:
        """Return the name of a state if the text is `state.NAME` and nothing else."""
        name = text.removeprefix("state.")
        return name if name != text and name in self._names else None

    def _named(self, text: str) -> str:
        name = self._whole_state(text)
        if name is None:
            raise SelectionError(f"{text}: name a state of the file: state.NAME", address=text)
        return name

    def _replace_provider(self, block: ReplaceProviderBlock) -> None:
        if block.of is not None and block.state is not None:
            raise SurgeryError("replace_provider: give either of or state")
        old = parse_replaced(block.old)
        new = parse_replaced(block.new, instead_of=old)
        chosen: Mapping[str, tuple[str, ...] | None]
        if block.of is not None:
            chosen = by_state(block.of, self._names)
        else:
            chosen = {self._only(block.state, "of or state"): None}
        known = known_providers(new_provider=block.new_provider)
        for name, selectors in chosen.items():
            self.states.edit(
                name,
                partial(provided, selectors, old, new),
                partial(
                    replace_provider_request,
                    chosen=Criteria(selectors=selectors or ()),
                    old=old,
                    new=new,
                    whole_resource=block.whole_resource,
                    known=known,
                    note=self._note,
                ),
            )
