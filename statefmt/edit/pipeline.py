"""Runs every edit: lock, read, operate, compare, check, back up, commit.

`edit` is the whole of it for one operation. Its steps are `opened_edit`, `OpenedEdit.proposed` and `OpenedEdit.commit`,
for a caller that holds the lock while it decides what to do.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, loaded
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import ChangedError, StoreError, Wording
from statefmt.pieces import Pieces, joined, makes_the_same
from statefmt.store.files import open_for_writing, signals_held_back, write_all
from statefmt.store.protocol import LockedStore, Store, Stored, WriteTerms
from statefmt.store.reading import display_name, read_bytes, reason_of

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Terms:
    """The options and conditions of an edit.

    `operation` is its name and `command` the command line, for the lock and the history. `copy` receives the result
    instead of the store. `backup` is where to back up the state; unless `keeps_backup`, only the history keeps the old
    content. `timeout` is in seconds, for the lock. If `serial` or `checksum` (SHA-256 in hexadecimal
    digits) is given, the state must have it; `changed` is the message if the checksum differs.
    """

    operation: str
    command: str
    copy: Copy | None = None
    backup: str | None = None
    keeps_backup: bool = True
    dry_run: bool = False
    lock: bool = True
    timeout: float = 0
    serial: int | None = None
    checksum: str | None = None
    changed: str = "the content differs from the expected one: it was changed; nothing was done"

    @property
    def in_place(self) -> bool:
        """Whether the store is written."""
        return self.copy is None and not self.dry_run


@dataclass(frozen=True, slots=True)
class Proposal(Generic[R]):
    """The result that an operation proposes for a state.

    `outcome` is for display; `pieces` build the new plain content from the old one. `stored` is the new content of the
    store if it changes between plain and encrypted or gets another encryption. With `check`, new errors are refused;
    findings on instances that `moved` are compared with those at the old address. `undoes` is as in Edit.
    """

    outcome: R
    pieces: Pieces
    stored: bytes | None = None
    check: bool = True
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)
    undoes: int | None = None


Operation: TypeAlias = Callable[[LoadedState], Proposal[R]]


@dataclass(frozen=True, slots=True)
class OpenedEdit:
    """An edit between its lock and its commit: the state as it was read, and what to do with a result.

    Made by `opened_edit`. `locked` is the store, which stays locked as long as the context manager is open.
    """

    context: RunContext
    terms: Terms
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
        """Write what was proposed, unless this is a dry run or nothing changes; `agreed` and `written` as in edit().

        Returns False if `agreed` prevented it. Raises StoreError and leaves the state unchanged if it cannot be
        written.
        """
        terms = self.terms
        if terms.dry_run:
            return True
        old = self.locked.stored
        new = _to_store(self.state, proposal)
        changes = not makes_the_same(old.data, new)
        if changes and not agreed(proposal.outcome):
            return False
        if terms.copy is not None:
            self.context.phase("writing")
            terms.copy.write(joined(old.data, new), lambda backup: written(proposal.outcome, backup))
        elif changes:
            # Otherwise a signal that was blocked during the write would arrive before the message.
            self.context.phase("writing")
            with self.locked.undisturbed():
                now = int(self.context.clock().timestamp())
                backup = None if terms.backup is None else Path(terms.backup)
                recorded = WriteTerms(now, backup=backup, keeps_backup=terms.keeps_backup, undoes=proposal.undoes)
                written(proposal.outcome, self.locked.write(new, old.version, recorded))
        return True


@contextmanager
def opened_edit(
    context: RunContext, store: Store, terms: Terms, *, opening: Callable[[bytes], LoadedState] | None = None
) -> Iterator[OpenedEdit]:
    """Lock a state, unless it is only read, and read it; unlock it at the end.

    `opening` reads the state from the bytes of the store. Raises StatetoolError if it cannot be read, is locked or is
    not the expected one.
    """
    context.phase("locking" if terms.in_place else "reading")
    with _locked(context, store, terms) as locked:
        context.phase("reading")
        state = (opening or (lambda data: loaded(context, store.name, data)))(locked.stored.data)
        _refuse_unexpected(state, terms)
        yield OpenedEdit(context, terms, locked, state)


def edit(
    context: RunContext,
    store: Store,
    terms: Terms,
    operation: Operation[R],
    *,
    opening: Callable[[bytes], LoadedState] | None = None,
    agreed: Callable[[R], bool] = lambda _: True,
    written: Callable[[R, str | None], None] = lambda _outcome, _backup: None,
) -> R:
    """Run an operation on a state and write the result, unless it is a dry run or nothing changes.

    `opening` reads the state from the bytes of the store. `agreed` is called before a change is written, here or to a
    copy, and can prevent that. `written` is called right after a write, with the place of the backup. Raises
    StatetoolError and leaves the state unchanged if it cannot be read or written, is locked or not the expected one, if
    the operation refuses, or if the edit would add an error finding.
    """
    with opened_edit(context, store, terms, opening=opening) as opened:
        proposal = opened.proposed(operation)
        was_agreed = opened.commit(proposal, agreed=agreed, written=written)
    if was_agreed and terms.in_place:
        store.tidy()
    return proposal.outcome


@dataclass(frozen=True, slots=True)
class _Unlocked:
    """A state that is only read, without a lock."""

    stored: Stored

    def undisturbed(self) -> AbstractContextManager[None]:
        return nullcontext()

    def write(self, *_: object, **__: object) -> str | None:
        raise AssertionError("writing needs a lock")


def _locked(context: RunContext, store: Store, terms: Terms) -> AbstractContextManager[LockedStore]:
    if not terms.in_place:
        return nullcontext(_Unlocked(store.read()))
    info = context.lock_info(store.name, terms.operation, terms.command)
    return store.locked(info, terms.timeout if terms.lock else None)


def _refuse_unexpected(state: LoadedState, terms: Terms) -> None:
    # Imported late: commands that only check start faster without it.
    from statefmt.store.local.journal import checksum

    name = display_name(state.name)
    # Loading may have raised it already.
    serial = state.result.snapshot.serial - state.sources.changed
    if terms.serial not in (None, serial):
        problem = f"{name}: the serial is {serial}, not {terms.serial}: the state was changed; nothing was done"
        raise ChangedError(problem, terms.serial or 0)
    if terms.checksum and checksum(state.stored) != terms.checksum.lower():
        raise ChangedError(f"{name}: {terms.changed}", terms.checksum)


def _to_store(state: LoadedState, proposal: Proposal[R]) -> Pieces:
    """Return the pieces of the new stored content, encrypted if the state is: plain ones must not reach the store."""
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


class Copy(Protocol):
    """A destination for the new content of a state."""

    def write(self, content: bytes, written: Callable[[str | None], None]) -> None:
        """Write the content unless it is already there, then at once call `written` with the backup, if any."""


@dataclass(frozen=True, slots=True)
class OutputCopy:
    """Standard output."""

    context: RunContext

    def write(self, content: bytes, written: Callable[[str | None], None]) -> None:
        """Print the content."""
        self.context.write_output(content)
        written(None)


@dataclass(frozen=True, slots=True)
class FileCopy:
    """A file, created or, with `replace`, backed up and overwritten; `keeps_replaced` keeps that backup.

    `command` is recorded in the history of the file. A character device or a pipe is written as it is, without a lock.
    """

    context: RunContext
    path: str
    command: str
    replace: bool = False
    keeps_replaced: bool = True

    def write(self, content: bytes, written: Callable[[str | None], None]) -> None:
        """Create or replace the file. Raises StoreError if it exists and must not be replaced."""
        from statefmt.store.local.state_file import refuse_init_file
        from statefmt.store.local.store import LocalFile, create_file

        refuse_init_file(self.path, self.context.environment.get("TF_DATA_DIR", ""))
        target = Path(self.path)
        if not os.path.exists(target):  # noqa: PTH110 - Path.exists raises if a name cannot be looked up
            with signals_held_back():
                create_file(target, content)
                written(None)
            return
        if not os.path.isfile(target):  # noqa: PTH113
            self._stream(content)
            written(None)
            return
        refuse_existing(self.path, replace=self.replace)
        if read_bytes(self.path) == content:
            return
        info = self.context.lock_info(target, "write", self.command)
        with LocalFile(self.path, self.context).locked(info, 0) as locked, signals_held_back():
            now = int(self.context.clock().timestamp())
            terms = WriteTerms(now, keeps_backup=self.keeps_replaced)
            written(locked.write([content], locked.stored.version, terms))

    def _stream(self, content: bytes) -> None:
        """Write to a character device such as /dev/null, or to a pipe that has a reader."""
        try:
            kind = os.stat(self.path).st_mode  # noqa: PTH116 - as above
            if not (stat.S_ISCHR(kind) or stat.S_ISFIFO(kind)):
                raise StoreError(f"{self.path}: cannot write to {_kind(kind)}; name a file, a pipe or - instead")
            descriptor = open_for_writing(self.path)
            try:
                write_all(descriptor, content)
            finally:
                os.close(descriptor)
        except BrokenPipeError:
            raise StoreError(f"{self.path}: the reader closed the pipe before the end") from None
        except OSError as error:
            raise StoreError(f"{self.path}: {reason_of(error)}") from error


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a socket" if stat.S_ISSOCK(mode) else "a block device"
