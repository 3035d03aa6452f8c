"""Makes operations of the actions of a migration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from statefmt.analysis.diff.moved import whole_moves
from statefmt.edit.operations_file import (
    FileOperation,
    ForgetBlock,
    MoveBlock,
    OperationBlock,
    OperationsFile,
    ReplaceProviderBlock,
    StateBlock,
    run,
)
from statefmt.edit.tfmigrate._migration import STATE, MigrationAction, TfmigrateFile
from statefmt.edit.tfmigrate._wildcards import WILDCARD, filled, matched
from statefmt.model.addrs import AbsResourceInstance, ModuleInstance
from statefmt.model.addrs.literals import hcl_quote
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError, SurgeryError
from statefmt.model.snapshot import Snapshot, instances


class MigrationOperations(NamedTuple):
    """The operations of a migration in order; `unmatched` are its actions whose wildcards match nothing."""

    operations: tuple[OperationBlock, ...]
    unmatched: tuple[str, ...]


def operations_of(
    migration: TfmigrateFile, states: Mapping[str, StateBlock], snapshots: Callable[[], Mapping[str, Snapshot]]
) -> MigrationOperations:
    """Return the operations for the actions; `states` are the one of the migration, or the source and the target.

    `snapshots` reads the states, by their names. It is called if an `xmv` has wildcards: they match what the states
    have when its turn comes. Raises SurgeryError, with the position, for an action that has no operation.
    """
    running = _Running(migration, states, snapshots)
    for action in migration.actions:
        try:
            running.add(action)
        except SurgeryError as error:
            raise SurgeryError(f"{action.range}: ", *error.parts, address=error.address) from error
    return MigrationOperations(tuple(one.block for one in running.operations), tuple(running.unmatched))


class _Running:
    """The operations so far, and the states after them once an action has needed them."""

    def __init__(
        self, migration: TfmigrateFile, states: Mapping[str, StateBlock], read: Callable[[], Mapping[str, Snapshot]]
    ) -> None:
        self.operations: list[FileOperation] = []
        self.unmatched: list[str] = []
        self._states = states
        self._source, *others = states
        self._target = others[0] if others else self._source
        self._type = STATE if len(migration.folders) == 1 else "multi_state"
        self._read = read
        self._now: dict[str, Snapshot] | None = None
        self._done = 0

    def add(self, action: MigrationAction) -> None:
        """Add the operations of an action. Raises SurgeryError."""
        blocks = list(self._blocks(action))
        self.operations += [FileOperation(block, action.range) for block in blocks]

    def _blocks(self, action: MigrationAction) -> Iterator[OperationBlock]:
        match action.words:
            case ("mv", source, target):
                yield self._move(source, target)
            case ("xmv", source, target) if WILDCARD in source:
                yield from self._with_wildcards(action, source, target)
            case ("xmv", source, target):
                yield self._move(source, target)
            case ("rm", *addresses) if addresses and self._type == STATE:
                yield ForgetBlock(tuple(self._address(self._source, one) for one in addresses))
            case ("replace-provider", old, new) if self._type == STATE:
                # The migration names it, so it is no slip.
                yield ReplaceProviderBlock(old, new, new_provider=True)
            case ("import", address, name) if self._type == STATE:
                raise SurgeryError(
                    "only the provider can import; leave the action out, and write an import block into the "
                    f"configuration, with to = {address} and id = {hcl_quote(name)}"
                )
            case ("mv" | "xmv" | "rm" | "replace-provider" | "import", *_) if self._type == STATE:
                raise SurgeryError(f"{action.words[0]} has another number of arguments")
            case ("mv" | "xmv", *_):
                raise SurgeryError(f"{action.words[0]} takes two addresses")
            case _:
                kinds = "mv, xmv, rm and replace-provider" if self._type == STATE else "mv and xmv"
                raise SurgeryError(f"unknown action {' '.join(action.words[:1])!r}; {self._type} has {kinds}")

    def _move(self, source: str, target: str) -> MoveBlock:
        return MoveBlock(self._address(self._source, source), self._address(self._target, target))

    def _address(self, state: str, text: str) -> str:
        return f"state.{state}.{_parsed(text)}"

    def _with_wildcards(self, action: MigrationAction, source: str, target: str) -> Iterator[MoveBlock]:
        now = self._current()
        there = instances(now[self._source])
        pairs: dict[str, str] = {}
        for one in there:
            found = matched(source, str(one.addr))
            if found is None or not found.text:
                continue
            if found.start:
                raise SurgeryError(f"{source} also matches {found.text} inside {one.addr}; write the whole address")
            pairs[found.text] = filled(target, found)
        if not pairs:
            self.unmatched.append(" ".join(action.words))
        for old, new in self._joined(now, pairs).items():
            yield self._move(old, new)

    def _joined(self, now: Mapping[str, Snapshot], pairs: Mapping[str, str]) -> Mapping[str, str]:
        """Return moves of whole modules and resources, if the pairs are moves of all their instances."""
        there = {one.addr for one in instances(now[self._source])}
        moved = [(old, new) for old, new in _instance_pairs(pairs) if old in there]
        if len(moved) < len(pairs):
            return pairs
        before = Counter(addr.containing_resource() for addr in there)
        after = Counter(one.addr.containing_resource() for one in instances(now[self._target]))
        if self._source == self._target:
            after.subtract(old.containing_resource() for old, _ in moved)
        after.update(new.containing_resource() for _, new in moved)
        return {str(move.old): str(move.new) for move in whole_moves(before, after, moved)}

    def _current(self) -> Mapping[str, Snapshot]:
        """Return the states after the operations so far."""
        if self._now is None:
            self._now = dict(self._read())
        made = run(OperationsFile(self._states, tuple(self.operations[self._done :])), self._now)
        self._now |= {name: edit.snapshot for name, edit in made.edits.items()}
        self._done = len(self.operations)
        return self._now


def _instance_pairs(pairs: Mapping[str, str]) -> Iterator[tuple[AbsResourceInstance, AbsResourceInstance]]:
    for old, new in ((_parsed(old), _parsed(new)) for old, new in pairs.items()):
        if isinstance(old, AbsResourceInstance) and isinstance(new, AbsResourceInstance):
            yield old, new


def _parsed(text: str) -> AbsResourceInstance | ModuleInstance:
    """Return an address. Raises SurgeryError if the string is none, such as a pattern."""
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        try:
            return parse_module_instance(text)
        except AddressError:
            pattern = "; only xmv takes wildcards" if WILDCARD in text else ""
            raise SurgeryError(f"invalid address {text!r}: {error}{pattern}", address=text) from error
