"""Runs every edit: lock, read, operate, compare, check, back up, commit.

`edit` runs all steps for one operation. The steps are `opened_edit`, `OpenedEdit.proposed` and `OpenedEdit.commit`, for
callers that choose the operation under the lock.
"""

from __future__ import annotations

import dataclasses
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, loaded, repeated_members, with_next_serial
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import ChangedError, StoreError, Wording
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot
from statefmt.pieces import Pieces, Span, joined, makes_the_same
from statefmt.store.files import open_for_writing, signals_held_back, write_all
from statefmt.store.protocol import LockedStore, Store, Stored, WriteTerms
from statefmt.store.reading import STANDARD_INPUT, display_name, read_bytes, reason_of

if TYPE_CHECKING:
    # Commands that rewrite whole files start faster without these imports.
    from statefmt.analysis.diff.model import SnapshotDiff
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.edit.changes import Edit
    from statefmt.formats.writing.write import Splicer


R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class EditOptions:
    """How to edit states, from the command line or a program down to the store.

    `operation` is the name of the edit in locks, and `command` the command line or the purpose, for locks and
    histories. The result goes to the file `out` or, for `-`, to standard output; by default back to the state. With
    `yes`, nothing is asked, and an existing file `out` is replaced. `backup` is the path of the backup; without
    `keep_backup`, only the history keeps the old content. `lock_timeout` is in seconds, for each lock. The state must
    have the serial `expect_serial` and the SHA-256 `expect_hash`, in hexadecimal digits, if given; `changed` is the
    message if the hash differs. With `allow_mismatch`, an object may be bound to a provider instance of another account
    or region.
    """

    operation: str = "edit"
    command: str = ""
    out: str | None = None
    yes: bool = False
    backup: str | None = None
    keep_backup: bool = True
    dry_run: bool = False
    lock: bool = True
    lock_timeout: float = 0.0
    expect_serial: int | None = None
    expect_hash: str | None = None
    allow_mismatch: bool = False
    changed: str = "the content differs from the expected one: it was changed; nothing was done"

    @property
    def in_place(self) -> bool:
        """Whether the edit writes the store."""
        return self.out is None and not self.dry_run

    @property
    def timeout(self) -> float | None:
        """The number of seconds that a store waits for its lock; None for no lock."""
        return self.lock_timeout if self.lock else None

    @property
    def of_one_state(self) -> tuple[str, ...]:
        """The names of the given options that edits of several states cannot have."""
        names = ("out", "backup", "expect_serial", "expect_hash")
        return tuple(name for name in names if getattr(self, name) is not None)

    def for_state(self, name: str) -> EditOptions:
        """Return the options for the state `name`: the result of an edit of standard input goes to standard output."""
        piped = self.out is None and name == STANDARD_INPUT
        return dataclasses.replace(self, out=STANDARD_INPUT) if piped else self


class Proposal(Struct, Generic[R], frozen=True):
    """The result that an operation proposes for a state.

    `outcome` is for display; `pieces` build the new plain content from the old one. `stored` is the new content of the
    store if it changes between plain and encrypted or gets another encryption. With `check`, new errors are refused;
    findings on instances that `moved` are compared with findings at the old address. `undoes` is as in Edit.
    """

    outcome: R
    pieces: Pieces
    stored: bytes | None = None
    check: bool = True
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)
    undoes: int | None = None


Operation: TypeAlias = Callable[[LoadedState], Proposal[R]]


class OpenedEdit(Struct, frozen=True):
    """An edit between its lock and its commit: the state, and the options for a result.

    Made by `opened_edit`. `locked` is the store, locked until the context manager exits.
    """

    context: RunContext
    options: EditOptions
    locked: LockedStore
    state: LoadedState

    def proposed(self, operation: Operation[R]) -> Proposal[R]:
        """Run an operation on the state. Raises StatetoolError if it refuses, or would add an error finding."""
        self.context.phase("editing")
        proposal = operation(self.state)
        if proposal.check:
            self.context.phase("checking")
            # Imported late: dry runs and `fmt --check` start faster without the rules.
            from statefmt.edit.added_findings import refuse_new_errors

            refuse_new_errors(self.state, joined(self.state.data, proposal.pieces), proposal.moved)
        return proposal

    def commit(
        self,
        proposal: Proposal[R],
        *,
        agreed: Callable[[R], bool] = lambda _: True,
        written: Callable[[R, str | None], None] = lambda _outcome, _backup: None,
    ) -> bool:
        """Write a proposal, unless this is a dry run or nothing changes; `agreed` and `written` are as in edit().

        Returns False if `agreed` prevented it. Raises StoreError and leaves the state unchanged if it cannot be
        written.
        """
        options = self.options
        if options.dry_run:
            return True
        old = self.locked.stored
        new = _to_store(self.state, proposal)
        changes = not makes_the_same(old.data, new)
        if changes and not agreed(proposal.outcome):
            return False
        if options.out is not None:
            self.context.phase("writing")
            write_copy(
                self.context, options.out, options, joined(old.data, new), lambda kept: written(proposal.outcome, kept)
            )
        elif changes:
            # Otherwise a signal blocked during the write would arrive before the message.
            self.context.phase("writing")
            with self.locked.undisturbed():
                now = int(self.context.clock().timestamp())
                backup = None if options.backup is None else Path(options.backup)
                terms = WriteTerms(now, backup=backup, keeps_backup=options.keep_backup, undoes=proposal.undoes)
                written(proposal.outcome, self.locked.write(new, old.version, terms))
        return True


@contextmanager
def opened_edit(
    context: RunContext, store: Store, options: EditOptions, *, opening: Callable[[bytes], LoadedState] | None = None
) -> Iterator[OpenedEdit]:
    """Lock a state, unless it is only read, and read it; unlock it at the end.

    `opening` reads the state from the bytes of the store. Raises StatetoolError if it cannot be read, is locked, or has
    an unexpected serial or hash.
    """
    context.phase("locking" if options.in_place else "reading")
    with _locked(context, store, options) as locked:
        context.phase("reading")
        state = (opening or (lambda data: loaded(context, store.name, data)))(locked.stored.data)
        _refuse_unexpected(state, options)
        yield OpenedEdit(context, options, locked, state)


def edit(
    context: RunContext,
    store: Store,
    options: EditOptions,
    operation: Operation[R],
    *,
    opening: Callable[[bytes], LoadedState] | None = None,
    agreed: Callable[[R], bool] = lambda _: True,
    written: Callable[[R, str | None], None] = lambda _outcome, _backup: None,
) -> R:
    """Run an operation on a state and write the result, unless it is a dry run or nothing changes.

    `opening` reads the state from the bytes of the store. `agreed` is called before a change is written, here or to a
    copy, and can prevent the write. `written` is called right after a write, with the path of the backup. Raises
    StatetoolError and leaves the state unchanged if it cannot be read or written, is locked, or has an unexpected
    serial or hash, if the operation refuses, or if the edit would add an error finding.
    """
    with opened_edit(context, store, options, opening=opening) as opened:
        proposal = opened.proposed(operation)
        was_agreed = opened.commit(proposal, agreed=agreed, written=written)
    if was_agreed and options.in_place:
        store.tidy()
    return proposal.outcome


class _Unlocked(Struct, frozen=True):
    """A state that is only read, without a lock."""

    stored: Stored

    def undisturbed(self) -> AbstractContextManager[None]:
        return nullcontext()

    def write(self, *_: object, **__: object) -> str | None:
        raise AssertionError("writing needs a lock")


def _locked(context: RunContext, store: Store, options: EditOptions) -> AbstractContextManager[LockedStore]:
    if not options.in_place:
        return nullcontext(_Unlocked(store.read()))
    return store.locked(context.lock_info(store.name, options.operation, options.command), options.timeout)


def _refuse_unexpected(state: LoadedState, options: EditOptions) -> None:
    # Imported late: commands that only check start faster without it.
    from statefmt.store.local.journal import checksum

    name = display_name(state.name)
    # Loading may have raised it already.
    serial = state.result.snapshot.serial - state.sources.changed
    wanted = options.expect_serial
    if wanted not in (None, serial):
        problem = f"{name}: the serial is {serial}, not {wanted}: the state was changed; nothing was done"
        raise ChangedError(problem, wanted or 0)
    if options.expect_hash and checksum(state.stored) != options.expect_hash.lower():
        raise ChangedError(f"{name}: {options.changed}", options.expect_hash)


def _to_store(state: LoadedState, proposal: Proposal[R]) -> Pieces:
    """Return the pieces of the new stored content, encrypted if the state is: the store must never get plain pieces of
    an encrypted state.
    """
    if proposal.stored is not None:
        return [proposal.stored]
    if state.seal is None:
        return proposal.pieces
    return [state.to_store(joined(state.data, proposal.pieces))]


_REPLACE: Final = Wording("--yes", "overwrite=True")


def refuse_existing(path: str, *, replace: bool) -> None:
    """Raise StoreError if a file exists and must not be replaced."""
    if not replace and os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises if a name cannot be looked up
        raise StoreError(f"{path}: the file already exists; ", _REPLACE, " replaces it and keeps a backup")


def write_copy(
    context: RunContext, path: str, options: EditOptions, content: bytes, written: Callable[[str | None], None]
) -> None:
    """Write content to a file or, for `-`, to standard output, unless it is already there.

    An existing file is only replaced if the options say `yes`, and backed up. A character device or a pipe is written
    as it is, without a lock. Calls `written` at once, with the path of the backup, if any. Raises StoreError.
    """
    if path == STANDARD_INPUT:
        context.write_output(content)
        written(None)
        return
    from statefmt.store.local.state_file import refuse_init_file
    from statefmt.store.local.store import LocalFile, create_file

    refuse_init_file(path, context.environment.get("TF_DATA_DIR", ""))
    target = Path(path)
    if not os.path.exists(target):  # noqa: PTH110 - Path.exists raises if a name cannot be looked up
        with signals_held_back():
            create_file(target, content)
            written(None)
        return
    if not os.path.isfile(target):  # noqa: PTH113
        _stream(path, content)
        written(None)
        return
    refuse_existing(path, replace=options.yes)
    if read_bytes(path) == content:
        return
    info = context.lock_info(target, "write", options.command)
    with LocalFile(path, context).locked(info, 0) as locked, signals_held_back():
        now = int(context.clock().timestamp())
        terms = WriteTerms(now, keeps_backup=options.keep_backup)
        written(locked.write([content], locked.stored.version, terms))


def _stream(path: str, content: bytes) -> None:
    """Write to a character device such as /dev/null, or to a pipe that has a reader."""
    try:
        kind = os.stat(path).st_mode  # noqa: PTH116 - as above
        if not (stat.S_ISCHR(kind) or stat.S_ISFIFO(kind)):
            raise StoreError(f"{path}: cannot write to {_kind(kind)}; name a file, a pipe or - instead")
        descriptor = open_for_writing(path)
        try:
            write_all(descriptor, content)
        finally:
            os.close(descriptor)
    except BrokenPipeError:
        raise StoreError(f"{path}: the reader closed the pipe before the end") from None
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a socket" if stat.S_ISSOCK(mode) else "a block device"


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """The result of an operation or of its dry run; `changes` is empty if nothing changed.

    `findings` are the new warnings and, with a configuration, the new errors about it. `serial` is the serial of the
    result.
    """

    edit: Edit
    changes: SnapshotDiff
    serial: int
    findings: tuple[Finding, ...] = ()


def surgical(
    operation: Callable[[Snapshot], Edit], references: ProviderReferences | None = None
) -> Operation[EditOutcome]:
    """Adapt an operation to the pipeline. The serial rises by one if anything changes.

    With the `references` of a configuration, the edit is also checked against the configuration.
    """
    from statefmt.analysis.diff import diff, envelope_changes
    from statefmt.edit.added_findings import configuration_findings, edit_findings

    def propose(state: LoadedState) -> Proposal[EditOutcome]:
        before = state.result.snapshot
        edit = operation(before)
        if edit.restored is not None:
            # An earlier content is restored even if it has errors.
            shown = configuration_findings(state, edit.restored, edit, references)
            changes = diff(before, edit.snapshot, versions=(state.result.version, edit.restored_version))
            outcome = EditOutcome(edit, changes, edit.snapshot.serial, shown)
            return Proposal(outcome, [edit.restored], check=False, undoes=edit.undoes)
        changes = diff(before, edit.snapshot, moved=edit.moved)
        if not changes and not diff(before, edit.snapshot, exact=True, moved=edit.moved):
            return Proposal(EditOutcome(edit, changes, before.serial), [Span(0, len(state.data))], check=False)
        after = with_next_serial(edit.snapshot, state.name) if edit.snapshot.serial == before.serial else edit.snapshot
        splicer = _splicer(state)
        pieces = splicer.pieces(after)

        def content(version: Snapshot) -> bytes:
            return joined(state.data, pieces if version is after else splicer.pieces(version))

        may_add_errors, findings = edit_findings(state, after, edit, content, references)
        changes = replace(changes, envelope=envelope_changes(before, after))
        outcome = EditOutcome(edit, changes, after.serial, findings)
        return Proposal(outcome, pieces, check=may_add_errors, moved=edit.moved, undoes=edit.undoes)

    return propose


def spliced(state: LoadedState, after: Snapshot) -> bytes:
    """Return the plain content of a snapshot that was derived from a state. Raises StoreError."""
    return joined(state.data, _splicer(state).pieces(after))


def _splicer(state: LoadedState) -> Splicer:
    from statefmt.formats.writing.write import Splicer

    source = state.result.snapshot.source
    if source is None and state.result.version == CURRENT_VERSION:
        raise StoreError(f"{display_name(state.name)}: cannot edit this state: {repeated_members(state)}")
    if source is None:
        raise StoreError(
            f"{display_name(state.name)}: cannot edit format version {state.result.version}, which no current release "
            "writes; ",
            Wording("run statetool upgrade first", "call State.upgrade() first"),
        )
    return Splicer(source)
