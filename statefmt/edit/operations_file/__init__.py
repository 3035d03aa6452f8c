"""Reads operations files (`*.stateops.hcl`, `*.stateops.json`) and runs their operations over several states.

    file = read_operations_file(name, content)           # states, operations, expectations, with their positions
    changed = run(file, {"net": snapshot, "app": other})  # an Edit for each state that changes
    text = operations_text(states, operations)            # an operations file

All are pure. An operation calls the same function as the command of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from statefmt.analysis.selection import Criteria
from statefmt.edit.changes import Edit, Note, OtherBindingError
from statefmt.edit.key_map import WHOLE_NUMBER, KeyMap, parse_key_map
from statefmt.edit.operations.instances import forget_deposed, remove, taint, untaint
from statefmt.edit.operations.mv import move
from statefmt.edit.operations.rebind import KnownProviders, parse_replaced, rebind, replace_provider
from statefmt.edit.operations.rekey import rekey
from statefmt.edit.operations.set import assignment, new_lineage, set_attributes, set_serial, unset_attributes
from statefmt.edit.operations_file.model import (
    FileOperation,
    ForgetBlock,
    ForgetDeposedBlock,
    IdentityBlock,
    JoinBlock,
    MoveBlock,
    OperationsFile,
    RebindBlock,
    RekeyBlock,
    ReplaceProviderBlock,
    SelectingBlock,
    SetBlock,
    SetSerialBlock,
    TaintBlock,
    UnsetBlock,
    UntaintBlock,
)
from statefmt.edit.operations_file.working_states import (
    FileEdits,
    PartOfState,
    WorkingState,
    WorkingStates,
    forgotten,
    moved_within,
    provided,
    rebound,
    rekeyed,
    selected,
)
from statefmt.model.addrs import StringKey
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.errors import AddressError, MessagePart, SelectionError, SurgeryError
from statefmt.model.snapshot import Snapshot
from statefmt.text import pattern

_ARGUMENT: Final = pattern(r"(\w+)=True")
_OPERATION: Final = pattern(r"(\w+)\(\)")


def run(file: OperationsFile, snapshots: Mapping[str, Snapshot], note: Note = lambda _: None) -> FileEdits:
    """Run the operations in order; `snapshots` has all states of the file by their names.

    Raises SurgeryError, with the position, if an operation does not apply.
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
    """Word an argument or a function as in a file: `whole_resource = true`, a `rebind` block."""
    if isinstance(part, str):
        return part
    if argument := _ARGUMENT.fullmatch(part.in_program):
        return f"{argument[1]} = true"
    if operation := _OPERATION.fullmatch(part.in_program):
        return f"a {operation[1]} block"
    return part.in_program


class _Run:
    """Runs operations on `states`."""

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
            operation_of, part = _selecting(block, self._note)
            for name, selectors in by_state(block.of, self._names).items():
                self.states.edit(
                    name, partial(part, selectors), partial(operation_of, chosen=Criteria(selectors=selectors))
                )

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
        """Return the name of a state; None if the file has only one state. Raises SurgeryError and SelectionError."""
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
            lambda state: move(state, source.selector, target.selector, rebind=block.rebind, way_out=""),
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
        """Return the name of a state if the text is just `state.NAME`."""
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
        known = known_providers(block.new_provider)
        for name, selectors in chosen.items():
            self.states.edit(
                name,
                partial(provided, selectors, old, new),
                partial(
                    replace_provider,
                    chosen=Criteria(selectors=selectors or ()),
                    old=old,
                    new=new,
                    whole_resource=block.whole_resource,
                    known=known,
                    note=self._note,
                ),
            )


_PartOf: TypeAlias = Callable[[Sequence[str], WorkingState], PartOfState]


def _selecting(block: SelectingBlock, note: Note) -> tuple[Callable[..., Edit], _PartOf]:
    """Return the operation of a block, and a function that finds the affected part of a state.

    Raises SurgeryError if the arguments of the block do not fit together.
    """
    operation: Callable[..., Edit]
    part: _PartOf = selected
    match block:
        case ForgetBlock():
            operation, part = partial(remove, keep_dangling=block.keep_dangling), forgotten
        case ForgetDeposedBlock():
            operation, part = partial(forget_deposed, key=block.key), forgotten
        case TaintBlock():
            operation = taint
        case UntaintBlock():
            operation = untaint
        case RekeyBlock():
            if (block.keys is None) == (block.by is None):
                raise SurgeryError("rekey: give either keys or by")
            operation, part = partial(rekey, keys=_keys(block.keys), by=block.by, count=block.count), rekeyed
        case RebindBlock():
            operation = partial(
                rebind,
                target=block.provider,
                mapping=_keys(block.keys),
                whole_resource=block.whole_resource,
                known=known_providers(block.new_provider),
            )
            part = rebound
        case SetBlock():
            given = [assignment(path, _json(value)) for path, value in block.values.items()]
            operation = partial(set_attributes, shown=(), secret=given, force_type=block.force_type)
        case UnsetBlock():
            operation = partial(unset_attributes, paths=(block.paths,) if isinstance(block.paths, str) else block.paths)
    return partial(operation, note=note), part


def known_providers(new_provider: bool) -> KnownProviders | None:
    """Return the providers that a block may bind to: the providers of the state, or all with `new_provider`."""
    return None if new_provider else KnownProviders("write new_provider = true")


def _keys(keys: Mapping[str, str | int | None] | None) -> KeyMap | None:
    """Return the keys as the command line takes them: a whole number is a `count` key, and "" or null is no key."""
    if keys is None:
        return None
    return parse_key_map([f"{_key(old, is_old=True)}={_key(new)}" for old, new in keys.items()])


def _key(key: str | int | None, *, is_old: bool = False) -> str:
    # The names of an object are always strings, even if written as numbers.
    if not key or isinstance(key, int) or (is_old and WHOLE_NUMBER.fullmatch(key)):
        return "" if key in (None, "") else str(key)
    return str(StringKey(key))[1:-1]


def _json(value: object) -> str:
    return msgspec.json.Encoder(decimal_format="number").encode(value).decode()


def created_states(file: OperationsFile) -> dict[str, tuple[str, ...]]:
    """Return the states that the file creates, each with the states that its objects come from, in order.

    Objects that move through another created state count as from their first state.
    """
    direct: dict[str, dict[str, None]] = {name: {} for name in file.states}
    for operation in file.operations:
        block = operation.block
        if isinstance(block, MoveBlock | JoinBlock):
            target = named_state(block.to)
            sources = map(named_state, (block.from_,) if isinstance(block.from_, str) else block.from_)
            # An invalid address is refused when the operations run.
            if target in direct:
                direct[target].update((name, None) for name in sources if name in direct)
    return {name: tuple(_through(name, direct, file)) for name, block in file.states.items() if block.create}


def _through(name: str, direct: dict[str, dict[str, None]], file: OperationsFile) -> list[str]:
    """Return the existing states that objects come from, also through other created states."""
    found: list[str] = []
    seen, left = {name}, list(direct[name])
    while left:
        source = left.pop(0)
        if source in seen:
            continue
        seen.add(source)
        if file.states[source].create:
            left += direct[source]
        else:
            found.append(source)
    return found


_STATE: Final = "state."


class StateAddress(NamedTuple):
    """The name of a state, and an address or a pattern in it."""

    state: str
    selector: str


def state_address(text: str, states: Collection[str]) -> StateAddress:
    """Return the state and the address in a string. The only state of a file need not be named.

    Raises SelectionError if the string names no state of the file.
    """
    if text.startswith(_STATE):
        # A name has no dots.
        name, dot, selector = text.removeprefix(_STATE).partition(".")
        if name not in states:
            raise SelectionError(f"{text}: the file names no state {name!r}", address=text)
        if not (dot and selector):
            raise SelectionError(f"{text}: the address in the state is missing", address=text)
        return StateAddress(name, selector)
    if len(states) == 1:
        return StateAddress(next(iter(states)), text)
    raise SelectionError(f"{text}: the file names several states: write state.NAME.{text}", address=text)


def named_state(text: str) -> str:
    """Return the name of the state at the start of a string, or ""."""
    return text.removeprefix(_STATE).partition(".")[0] if text.startswith(_STATE) else ""


def by_state(chosen: str | Iterable[str], states: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Group selectors by their states, in order. Raises SelectionError."""
    found: dict[str, tuple[str, ...]] = {}
    for text in (chosen,) if isinstance(chosen, str) else chosen:
        name, selector = state_address(text, states)
        found[name] = (*found.get(name, ()), selector)
    if not found:
        raise SelectionError("no instances selected: the list of addresses is empty")
    return found
