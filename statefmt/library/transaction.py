"""Collects the operations of one edit of a state, and returns the result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, Unpack

from statefmt import operations
from statefmt._lazy import checked_methods
from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.analysis.selection import Selector, selector_text
from statefmt.edit.changes import Edit, OtherBindingError, composed, with_note
from statefmt.edit.pipeline import EditOptions, EditOutcome, OpenedEdit, Proposal, surgical
from statefmt.library.selecting import Filters, Selected, criteria, selected
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey, IntKey, StringKey
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import StoreError, SurgeryError
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.store.backends import state_words

if TYPE_CHECKING:
    from uuid import UUID

    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.edit.key_map import KeyMap
    from statefmt.edit.operations.rebind import KnownProviders
    from statefmt.edit.operations.set import Assignment


# A key of an instance or a provider: a number, a string, or None for no key.
Key: TypeAlias = "InstanceKey | str | int | None"


@checked_methods
class Transaction:
    """An edit of a state between its lock and its commit, made by `State.edit()`.

    Each method applies one operation to `snapshot` at once, and raises at once: SelectionError if nothing matches,
    SurgeryError if the operation does not apply. A failed operation changes nothing, so a program that catches the
    exception can go on. All operations together are one write with one serial, at the end of the `with` block. An
    exception that leaves the block leaves the state as it was.

    Selectors are addresses and patterns as on the command line, or typed addresses; see `Filters` for the others.
    """

    def __init__(
        self,
        opened: OpenedEdit,
        references: ProviderReferences | None = None,
        written: Callable[[EditResult], None] | None = None,
    ) -> None:
        """Use `State.edit()` instead, which locks the state and writes the result."""
        self._opened = opened
        self._references = references
        self._written = written
        self._before = opened.state.result.snapshot
        self._edit: Edit | None = None
        self._note = opened.context.note
        self._open = True
        self._cancelled = False
        self._proposed: tuple[Edit, Proposal[EditOutcome]] | None = None
        self._result: EditResult | None = None

    @property
    def snapshot(self) -> Snapshot:
        """The state after the operations so far, with the serial that it had."""
        return self._before if self._edit is None else self._edit.snapshot

    @property
    def diff(self) -> SnapshotDiff:
        """The changes of the operations so far; after the end, all changes of the edit, including the serial."""
        return self.preview() if self._result is None else self._result.diff

    @property
    def serial(self) -> int:
        """The serial that the edit wrote, or would write as a dry run. Raises SurgeryError before the end."""
        return self.result.serial

    @property
    def backup(self) -> Path | None:
        """The path of the backup; None if nothing was written or backed up. Raises SurgeryError before the end."""
        return self.result.backup

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The new warnings about the state. Raises SurgeryError before the end."""
        return self.result.findings

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the operations so far: dropped dependencies, and resources that joined existing ones."""
        return () if self._edit is None else (*self._edit.notes, *self._edit.joins)

    @property
    def result(self) -> EditResult:
        """The result of the edit. Raises SurgeryError before the end, and if the edit failed."""
        if self._result is None:
            ending = "was cancelled" if self._cancelled else "failed"
            raise SurgeryError("the edit has not ended" if self._open else f"the edit {ending}; nothing was written")
        return self._result

    def propose(self) -> EditResult:
        """Check the operations so far, and return the result that the end of the block would write, for a preview.

        Raises StateError if they would add an error finding, and SurgeryError after the end.

            if not agreed(edit.propose()):
                edit.cancel()
        """
        return result_of(self._proposal().outcome)

    def cancel(self) -> None:
        """Write nothing at the end of the block."""
        self._refuse_ended()
        self._cancelled = True

    @property
    def is_written(self) -> bool:
        """Whether the result was written, to the state or to `out`."""
        return self._result is not None and self._result.written

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel()` was called."""
        return self._cancelled

    def preview(self) -> SnapshotDiff:
        """Return the changes of the operations so far."""
        return diff(self._before, self.snapshot, moved={} if self._edit is None else self._edit.moved)

    def select(self, *selectors: Selector, **filters: Unpack[Filters]) -> Selected:
        """Return instances as they are after the operations so far; see `State.select()`."""
        return selected(self.snapshot, criteria(selectors, filters), self._note)

    def apply(self, operation: Callable[[Snapshot], Edit], *, depth: int = 0) -> None:
        """Apply an operation: a pure function from a snapshot to an Edit.

        In an edit with `config`, instances must move to addresses that it declares. If the target is a module, only the
        module itself must be declared: `depth` is then its number of steps, `operations.module_depth(target)`.
        """
        self._refuse_ended()
        self._opened.context.phase("editing")
        edit = self._made(operation)
        if self._references is not None and edit.moved:
            from statefmt.edit.operations.by_configuration import refuse_undeclared

            edit = with_note(edit, *refuse_undeclared(edit, self._references, depth))
        if self._references is not None and not self._opened.options.allow_mismatch:
            from statefmt.edit.operations.by_configuration import refuse_mismatch

            refuse_mismatch(self.snapshot, edit, self._references)
        self._edit = edit if self._edit is None else composed(self._edit, edit)

    def _made(self, operation: Callable[[Snapshot], Edit]) -> Edit:
        """Run an operation; the advice on a refused join depends on the configuration."""
        try:
            return operation(self.snapshot)
        except OtherBindingError as error:
            if self._references is None:
                raise
            from statefmt.edit.operations.by_configuration import as_declared

            arguments = (*state_words(self._opened.state.name), "--config", self._references.configuration.directory)
            allowed = self._opened.options.allow_mismatch
            refusal = as_declared(error, self.snapshot, self._references, arguments, allow_mismatch=allowed)
        raise refusal

    def move(self, source: Selector, destination: Selector, *, rebind: bool = False) -> None:
        """Move instances, resources or modules to other addresses, as `statetool mv`.

        In a string `destination`, `$1`, `$2`… are the matches of the wildcards in `source`. With `rebind`, instances
        take over the provider configuration of the resource that they join; in an edit with `config`, each is bound to
        the provider instance that the configuration determines. `notes` lists joins with existing
        resources.

            edit.move("module.network", "module.net")
        """
        other = str(destination)
        moved = partial(
            operations.move, source=selector_text(source), destination=other, rebind=rebind, references=self._references
        )
        self.apply(moved, depth=operations.module_depth(other))

    def remove(self, *selectors: Selector, keep_dangling: bool = False, **filters: Unpack[Filters]) -> None:
        """Forget instances, as `statetool rm`; the real objects continue to exist.

        Dependencies on a resource are dropped if all of it is gone, unless `keep_dangling`.
        """
        chosen = criteria(selectors, filters, "keep_dangling")
        self.apply(partial(operations.remove, chosen=chosen, keep_dangling=keep_dangling, note=self._note))

    def rekey(
        self,
        *selectors: Selector,
        keys: Mapping[Key, Key] | str | None = None,
        by: str | None = None,
        count: bool = False,
        **filters: Unpack[Filters],
    ) -> None:
        """Change the keys of instances and modules, as `statetool rekey`.

        Either `keys` maps old keys to new ones (`{0: "eu"}`; None is no key), or `by` is the path of the attribute with
        the new key of each instance, an integer with `count`. In an edit with `config`, both may be left out: the new
        key is read from the configuration if only one instance can have changed its key.

            edit.rekey("aws_vpc.main", keys={0: "eu", 1: "us"})
        """
        if (keys is not None and by is not None) or (keys is None and by is None and self._references is None):
            raise SurgeryError("give either keys or by")
        chosen, mapping = criteria(selectors, filters, "keys", "by", "count"), _key_map(keys)
        declared = None
        if keys is None and by is None and self._references is not None:
            from statefmt.library._handle import declared_instances

            declared = declared_instances(self._references)
        rekeyed = partial(
            operations.rekey, chosen=chosen, keys=mapping, by=by, count=count, declared=declared, note=self._note
        )
        self.apply(rekeyed, depth=max(map(operations.module_depth, chosen.selectors), default=0))

    def rebind(
        self,
        selector: Selector | Iterable[Selector],
        target: str | AbsProviderInstance | None = None,
        *,
        keys: Mapping[Key, Key] | str | None = None,
        whole_resource: bool = False,
        new_provider: bool = False,
        **filters: Unpack[Filters],
    ) -> None:
        """Bind instances to another provider instance, as `statetool rebind`.

        With `keys`, each object gets the new provider key for its old one, and `target` is the new configuration or
        None. `whole_resource` extends the selection to all instances of each resource. `new_provider` allows a provider
        that nothing in the state uses or, in an edit with `config`, that the configuration does not declare.

            edit.rebind('module.db["eu"]', 'aws.by_region["us-west-2"]')
        """
        chosen = criteria(_selectors(selector), filters, "target", "keys", "whole_resource", "new_provider")
        self.apply(
            partial(
                operations.rebind,
                chosen=chosen,
                target=target,
                mapping=_key_map(keys),
                whole_resource=whole_resource,
                known=self._known(new_provider),
                references=self._references,
                note=self._note,
            )
        )

    def replace_provider(
        self,
        old: str | Provider | ConfigProviderConfig,
        new: str | Provider | ConfigProviderConfig,
        *selectors: Selector,
        whole_resource: bool = False,
        new_provider: bool = False,
        **filters: Unpack[Filters],
    ) -> None:
        """Replace a provider source or configuration, as `statetool replace-provider`.

        Without selectors and filters, in all resources. `new_provider` as for `rebind()`.

            edit.replace_provider("hashicorp/aws", "acme/aws", new_provider=True)
        """
        replaced = operations.parse_replaced(str(old))
        self.apply(
            partial(
                operations.replace_provider,
                chosen=criteria(selectors, filters, "whole_resource", "new_provider"),
                old=replaced,
                new=operations.parse_replaced(str(new), instead_of=replaced),
                whole_resource=whole_resource,
                known=self._known(new_provider),
                note=self._note,
            )
        )

    def taint(self, *selectors: Selector, **filters: Unpack[Filters]) -> None:
        """Mark instances as tainted, so that the next plan replaces them."""
        self.apply(partial(operations.taint, chosen=criteria(selectors, filters), note=self._note))

    def untaint(self, *selectors: Selector, **filters: Unpack[Filters]) -> None:
        """Remove the tainted mark from instances."""
        self.apply(partial(operations.untaint, chosen=criteria(selectors, filters), note=self._note))

    def forget_deposed(self, *selectors: Selector, key: str | None = None, **filters: Unpack[Filters]) -> None:
        """Forget deposed objects of the selected instances: all, or the one with the deposed key `key`."""
        chosen = criteria(selectors, filters, "key")
        self.apply(partial(operations.forget_deposed, chosen=chosen, key=key, note=self._note))

    def set(
        self,
        selector: Selector,
        values: Mapping[str, object] = MappingProxyType({}),
        *,
        schema_version: int | None = None,
        force_type: bool = False,
    ) -> None:
        """Set attributes that have a value, as `statetool set`; everything else keeps its bytes.

        `values` maps paths (`tags.env`, `ports[0]`) to JSON values: None, bool, int, float, Decimal, str, lists and
        mappings. All objects of the instances get the `schema_version`, if one is given. `force_type` allows a value of
        another type than the current one. Sensitive attributes can be set.


            edit.set("aws_db_instance.main", {"deletion_protection": True})
        """
        given = [_assignment(path, value) for path, value in values.items()]
        self.apply(
            partial(
                operations.set,
                chosen=selector_text(selector),
                shown=(),
                secret=given,
                schema_version=schema_version,
                force_type=force_type,
                note=self._note,
            )
        )

    def unset(self, selector: Selector, *paths: str) -> None:
        """Set attributes to null, or remove them from a map, as `statetool unset`."""
        self.apply(partial(operations.unset, chosen=selector_text(selector), paths=paths, note=self._note))

    def set_serial(self, serial: int) -> None:
        """Set the serial, an unsigned 64-bit number, instead of increasing it by one."""
        self.apply(partial(operations.set_serial, serial=serial))

    def new_lineage(self, lineage: UUID | None = None) -> None:
        """Give the state a new lineage; default: a random one."""
        from uuid import uuid4

        self.apply(partial(operations.new_lineage, lineage=uuid4() if lineage is None else lineage))

    def _proposal(self) -> Proposal[EditOutcome]:
        """Return the checked result of the operations so far; cached until the next operation."""
        self._refuse_ended()
        if self._edit is None:
            self._edit = Edit(self._before)
        edit = self._edit
        if self._proposed is None or self._proposed[0] is not edit:
            self._proposed = edit, self._opened.proposed(surgical(lambda _: edit, self._references))
        return self._proposed[1]

    def _end(self, result: EditResult) -> None:
        self._result = result
        if result.written and self._written is not None:
            self._written(result)

    def _refuse_ended(self) -> None:
        if not self._open:
            raise SurgeryError("the edit has ended; start another one")

    def _known(self, new_provider: bool) -> KnownProviders | None:
        return None if new_provider else operations.KnownProviders("pass new_provider=True", self._references)


@contextmanager
def transaction(
    opened: OpenedEdit,
    references: ProviderReferences | None = None,
    written: Callable[[EditResult], None] | None = None,
) -> Iterator[Transaction]:
    """Collect operations on an opened state and write their result at the end, unless an exception is raised.

    The edit must fit the configuration of `references`.
    """
    edit = Transaction(opened, references, written)
    try:
        yield edit
        if not edit._cancelled:
            committed(opened, edit._proposal(), edit._end)
    finally:
        edit._open = False


def _key_map(keys: Mapping[Key, Key] | str | None) -> KeyMap | None:
    if keys is None:
        return None
    if isinstance(keys, str):
        return operations.parse_key_map([keys])
    if not keys:
        raise SurgeryError("the key map is empty")
    return {_key(old): _key(new) for old, new in keys.items()}


def _key(key: Key) -> InstanceKey:
    if key is None:
        return NO_KEY
    if isinstance(key, str):
        return StringKey(key)
    return IntKey(key) if isinstance(key, int) else key


def _selectors(selector: Selector | Iterable[Selector]) -> Iterable[Selector]:
    return selector if isinstance(selector, Iterable) and not isinstance(selector, str) else (selector,)


def _assignment(path: str, value: object) -> Assignment:
    from statefmt.library.values import json_text

    try:
        text = json_text(value).decode()
    except (TypeError, ValueError) as error:
        raise SurgeryError(f"the value for {path} cannot be written: {error}") from error
    return operations.assignment(path, text)


@dataclass(frozen=True, slots=True)
class EditResult:
    """The result of an edit, a dry run or a proposal.

    `diff` has the changes, including the serial; it is empty if nothing changed. `serial` is the new serial. `backup`
    is the path of the backup; None if there is none. `findings` are the new warnings. `notes` are sentences about the
    edit; `joins` are the notes on objects that join an existing resource or module: ask before such an edit. `written`
    says whether the result was written, to the state or to `out`.
    """

    diff: SnapshotDiff
    serial: int
    backup: Path | None
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    written: bool
    joins: tuple[str, ...] = ()


def result_of(outcome: EditOutcome) -> EditResult:
    """Return the result of an edit that is not written."""
    edit = outcome.edit
    notes = (*edit.notes, *edit.joins)
    return EditResult(outcome.changes, outcome.serial, None, outcome.findings, notes, written=False, joins=edit.joins)


def committed(opened: OpenedEdit, proposal: Proposal[EditOutcome], end: Callable[[EditResult], None]) -> None:
    """Write the result of an edit on an opened state, and pass it to `end`; see `OpenedEdit` for the errors.

    The result is passed on at once, before a signal that arrived meanwhile stops the program.
    """
    result = result_of(proposal.outcome)
    written: list[bool] = []

    def was_written(_: EditOutcome, backup: str | None) -> None:
        written.append(True)
        end(replace(result, backup=None if backup is None else Path(backup), written=True))

    opened.commit(proposal, written=was_written)
    if not written:
        end(result)


def edit_options(
    whole: EditOptions | None,
    operation: str,
    message: str,
    lock: bool,
    lock_timeout: float,
    backup: str | os.PathLike[str] | None,
    keep_backup: bool,
    dry_run: bool,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    expect_serial: int | None = None,
    expect_hash: str | None = None,
    allow_mismatch: bool = False,
) -> EditOptions:
    """Return the options of an edit: `whole`, or the single arguments.

    Raises TypeError for both, and StoreError if `out` and `backup` contradict each other.
    """
    if out is not None and backup is not None:
        raise StoreError("backup= cannot be combined with out=: the state stays as it is")
    given = EditOptions(
        operation=operation,
        command=message or operation,
        out=None if out is None else os.fspath(out),
        yes=overwrite,
        backup=None if backup is None else os.fspath(backup),
        keep_backup=keep_backup,
        dry_run=dry_run,
        lock=lock,
        lock_timeout=lock_timeout,
        expect_serial=expect_serial,
        expect_hash=expect_hash,
        allow_mismatch=allow_mismatch,
    )
    if whole is None:
        return given
    if given != EditOptions(operation, operation):
        raise TypeError("options= has all options: give no others beside it")
    return whole
