"""A state at a place, which can be read, compared, checked and edited."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Unpack

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, loaded
from statefmt.library._located import located
from statefmt.model.errors import StoreError
from statefmt.model.findings import Finding
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot
from statefmt.store.reading import GIT, STANDARD_INPUT

if TYPE_CHECKING:
    # Most programs only read.
    from statefmt.analysis.diff import SnapshotDiff
    from statefmt.configuration.providers.references import ProviderReferences
    from statefmt.edit.copies import Copy
    from statefmt.edit.pipeline import OpenedEdit, Terms
    from statefmt.edit.requests.migrate import Migrated
    from statefmt.formats.releases.releases import Release
    from statefmt.library.edit_result import EditResult
    from statefmt.library.instance import Instance
    from statefmt.library.migrating import DowngradeOptions, UpgradeOptions
    from statefmt.library.migration import Migration
    from statefmt.library.selecting import Filters, Selector
    from statefmt.library.transaction import Transaction
    from statefmt.library.values import Output
    from statefmt.store.protocol import HistoryEntry, Store


class State:
    """A state at a place, as `statefmt.open()` returns it.

    It holds what was read; `reload()` reads again, and after an edit the new content is read on first use. An edit
    always begins with what the file has then.

    Different states may be used by different threads, and several states of one file by one or more processes: of two
    edits at the same time, the second waits for the lock or raises LockedError. Except on Linux, the lock is that of
    the process. While an edit is open, nothing else in the process may then open the same file, since closing it would
    drop the lock.
    """

    def __init__(self, context: RunContext, location: str) -> None:
        """Use `statefmt.open()` instead, which also takes care of encryption."""
        self._context = context
        self._location = location
        self._found: LoadedState | None = None
        self._is_edited = False

    def __repr__(self) -> str:
        return f"<State {self.location}>"

    @property
    def location(self) -> str:
        """The place of the state: the path of its file, or the URL of a state in a backend, without credentials."""
        return self._location

    @property
    def snapshot(self) -> Snapshot:
        """All that the state says, for `statefmt.diff()` and the pure functions."""
        return self._loaded.result.snapshot

    @property
    def data(self) -> bytes:
        """The bytes of the file, decrypted if it is encrypted; with all secrets in plain text."""
        return self._loaded.data

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What reading the state found; `check()` finds more."""
        return self._loaded.result.findings

    @property
    def version(self) -> int:
        """The format version of the file, 1 to 4."""
        return self._loaded.result.version

    @property
    def serial(self) -> int:
        """The serial, which rises with each change."""
        return self.snapshot.serial

    @property
    def lineage(self) -> str:
        """What tells this state from all others; "" if it has none."""
        return self.snapshot.lineage

    @property
    def is_encrypted(self) -> bool:
        """Whether the file is encrypted."""
        return self._loaded.seal is not None

    @property
    def resources(self) -> tuple[ResourceState, ...]:
        """The resources, in file order."""
        return self.snapshot.resources

    @property
    def outputs(self) -> Mapping[str, Output]:
        """The outputs of the root module by name, in file order; a sensitive value is a `Sensitive`."""
        from statefmt.library.values import Output

        return MappingProxyType({output.name: Output(output) for output in self.snapshot.outputs})

    def select(self, *selectors: Selector, **filters: Unpack[Filters]) -> tuple[Instance, ...]:
        """Return the instances that match any selector and all filters, in the order of `tofu state list`.

        Selectors are addresses and patterns as on the command line, or typed addresses. Without selectors and filters,
        returns all instances. Raises SelectionError if a selector or a filter is invalid or matches nothing.

            state.select("module.*.aws_instance.web[*]", provider='aws.by_region["eu-west-1"]')
        """
        from statefmt.library.selecting import criteria, selected

        with located(self.location):
            return selected(self.snapshot, criteria(selectors, filters), self._context.note)

    def check(self, *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None) -> list[Finding]:
        """Return the findings of the rules of `statetool check`, sorted by address.

        `select` and `ignore` are codes of rules or prefixes of codes. Raises ValueError if one matches no rule.
        """
        from statefmt.lint.check import check

        state = self._loaded
        seal = None if state.seal is None else state.seal.opened
        return check(state.data, select=select, ignore=ignore, name=self.location, opened=seal)

    def diff(self, other: State | Snapshot) -> SnapshotDiff:
        """Return the changes from this state to another one."""
        from statefmt.analysis.diff import diff

        return diff(self.snapshot, other.snapshot if isinstance(other, State) else other)

    def history(self) -> tuple[HistoryEntry, ...]:
        """Return the edits that `undo()` can revert, oldest first. Raises StoreError."""
        with located(self.location):
            return tuple(self._store.versions())

    def reload(self) -> None:
        """Read the state again. Raises StoreError, StateError or EncryptionError, and keeps what it had then."""
        self._refuse_nested()
        with located(self.location):
            # The context reports progress, and a program that only reads needs no store.
            in_git = self.location.startswith(GIT)
            data = self._store.read().data if in_git else self._context.read(self.location)
            self._found = loaded(self._context, self.location, data)

    @contextmanager
    def edit(
        self,
        message: str = "",
        *,
        lock: bool = True,
        lock_timeout: float = 0.0,
        backup: str | os.PathLike[str] | None = None,
        keep_backup: bool = True,
        dry_run: bool = False,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        expect_serial: int | None = None,
        expect_hash: str | None = None,
        config: str | os.PathLike[str] | ProviderReferences | None = None,
        variables: Mapping[str, str] | None = None,
        variable_files: Sequence[str | os.PathLike[str]] = (),
        operation: str = "edit",
        even_damaged: bool = False,
        written: Callable[[EditResult], None] | None = None,
    ) -> Iterator[Transaction]:
        """Edit the state in a `with` block: lock and read it at the start, write it at the end.

        An exception in the block, or a refusal at its end, leaves the state as it was.

            with state.edit("move the network", lock_timeout=30) as edit:
                edit.move("module.network", "module.net")
            print(edit.serial, edit.backup)

        Args:
            message: What the edit is for, in the history.
            lock: Lock the state as OpenTofu does.
            lock_timeout: How long to wait for the lock, in seconds.
            backup: Where to back up the state instead of beside it; backups of a state in a backend are below
                `$XDG_STATE_HOME` of the context's environment, else below `$HOME`.
            keep_backup: Keep a backup file; the history has what `undo()` needs in any case.
            dry_run: Write nothing; `diff`, `serial` and `findings` say what would be written.
            out: Write the result to this file, or to the output of the context for `-`, and leave the state as it is.
            overwrite: Replace an existing file `out`, and keep a backup of it.
            expect_serial: Fail unless the state has this serial.
            expect_hash: Fail unless the file has this SHA-256 hash, in hexadecimal digits.
            config: The configuration that the edit must fit, as `--config` of the commands: its directory, or one that
                was already loaded. Instances must move to addresses that it declares, and be bound to providers that it
                declares. `findings` include what the edit adds to the findings against it.
            variables: Input variables for the directory `config`, as `--var` takes them, over those of `variable_files`
                and of TF_VAR_… in the environment of the context.
            variable_files: Files of input variables for the directory `config`.
            operation: The name of the operation, in the lock.
            even_damaged: Open a state that cannot be used, too, to restore another content: its snapshot is empty, with
                the serial and lineage that can be read.
            written: Called right after the write, before a signal that arrived during it stops the program.

        Raises LockedError if someone else holds the lock, StoreError if the state is not the expected one or cannot be
        read or written, and StateError if it is invalid or the edit would add an error finding.
        """
        from statefmt.library.transaction import transaction

        terms = _terms(operation, message, lock, lock_timeout, backup, keep_backup, dry_run)
        terms = replace(terms, serial=expect_serial, checksum=expect_hash)
        if out is not None:
            if backup is not None:
                raise StoreError("backup= cannot be combined with out=: the state stays as it is")
            terms = replace(terms, copy=self._copy(os.fspath(out), terms.command, overwrite, keep_backup))
        references = self._references(config, variables, variable_files)
        opening = self._even_damaged if even_damaged else None
        with self._opened(terms, opening) as opened, transaction(opened, references, written) as made:
            yield made
        if terms.in_place and not made.is_cancelled:
            self._store.tidy()

    def undo(
        self,
        to: int | None = None,
        *,
        message: str = "",
        discard_changes: bool = False,
        lock: bool = True,
        lock_timeout: float = 0.0,
        backup: str | os.PathLike[str] | None = None,
        keep_backup: bool = True,
        dry_run: bool = False,
    ) -> EditResult:
        """Undo the last edit that statetool made to the state, or edit `to` and all later ones.

        An undo is an edit, too: the restored content gets a new, higher serial, and a second undo reverts the first.
        With `discard_changes`, undoes even if something else has changed the state since. The other arguments are those
        of `edit()`. The state and its earlier content may be damaged. Raises StoreError if there is no such edit.
        """
        from statefmt.edit.requests.undo import undo_request
        from statefmt.library.transaction import transaction

        self._refuse_nested()
        with located(self.location):
            request = undo_request(self._store, to)
        terms = _terms("undo", message, lock, lock_timeout, backup, keep_backup, dry_run)
        if not discard_changes:
            changed = (
                f"something else has changed the state since edit {request.last.number} ({request.last.command}); "
                "nothing was written. discard_changes=True undoes it anyway"
            )
            terms = replace(terms, checksum=request.last.after, changed=changed)

        with self._opened(terms, self._even_damaged) as opened, transaction(opened) as edit:
            edit.apply(lambda snapshot: request.edit(self._context, snapshot, discards_changes=discard_changes))
        if terms.in_place:
            self._store.tidy()
        return edit.result

    @cached_property
    def _store(self) -> Store:
        if self.location.startswith(GIT):
            from statefmt.store.git_version import GitVersion

            return GitVersion(self.location, self._context.environment)
        from statefmt.edit.stores import store_at

        return store_at(self._context, self.location)

    def upgrade(
        self,
        *,
        message: str = "",
        lock: bool = True,
        lock_timeout: float = 0.0,
        backup: str | os.PathLike[str] | None = None,
        keep_backup: bool = True,
        dry_run: bool = False,
        **options: Unpack[UpgradeOptions],
    ) -> Migration:
        """Rewrite the state in canonical format version 4, as `statetool upgrade --in-place`.

            state.upgrade(registry="opentofu")

        Takes the options of `statefmt.upgrade()`, and the other arguments of `edit()`. Provider sources are also
        inferred from the lock file beside the state, or in the folder whose state it is. A state in a backend keeps its
        layout unless one is given. `undo()` reverts it. Raises what both raise.
        """
        from statefmt.library.migrating import upgraded

        terms = _terms("upgrade", message, lock, lock_timeout, backup, keep_backup, dry_run)
        return self._migrate(terms, options, lambda found: upgraded(found, options))

    def downgrade(
        self,
        release: str | Release,
        *,
        message: str = "",
        lock: bool = True,
        lock_timeout: float = 0.0,
        backup: str | os.PathLike[str] | None = None,
        keep_backup: bool = True,
        dry_run: bool = False,
        **options: Unpack[DowngradeOptions],
    ) -> Migration:
        """Write the state so that a release reads it without loss, as `statetool downgrade --in-place`.

        Takes the options of `statefmt.downgrade()`, and the other arguments of `edit()`. A state in a backend gets the
        layout that the release gives it there, unless one is given. Raises what both raise.
        """
        from statefmt.library.migrating import downgraded, wanted_release

        with located(self.location):
            wanted = wanted_release(release)
        terms = _terms("downgrade", message, lock, lock_timeout, backup, keep_backup, dry_run)
        return self._migrate(terms, options, lambda found: downgraded(found, wanted, options))

    def _migrate(self, terms: Terms, options: UpgradeOptions, request: Callable[[LoadedState], Migrated]) -> Migration:
        from statefmt.edit.pipeline import Proposal
        from statefmt.edit.requests.provider_sources import lock_file_folders
        from statefmt.library.migrating import source_request
        from statefmt.library.migration import migration_of

        with located(self.location):
            sources = source_request(options, self._context.environment)

        def opening(data: bytes) -> LoadedState:
            found = loaded(self._context, self.location, data, sources.choice)
            return sources.applied(found, lock_file_folders(self.location))

        def operation(found: LoadedState) -> Proposal[Migration]:
            made = migration_of(request(found))
            return Proposal(made, [made.data])

        backups: list[str | None] = []
        with self._opened(terms, opening) as opened:
            proposal = opened.proposed(operation)
            opened.commit(proposal, written=lambda _, backup: backups.append(backup))
        if terms.in_place:
            self._store.tidy()
        made = proposal.outcome
        return replace(made, written=True, backup=backups[0]) if backups else made

    @property
    def _loaded(self) -> LoadedState:
        if self._found is None:
            self.reload()
        assert self._found is not None
        return self._found

    def _references(
        self,
        config: str | os.PathLike[str] | ProviderReferences | None,
        variables: Mapping[str, str] | None,
        variable_files: Sequence[str | os.PathLike[str]],
    ) -> ProviderReferences | None:
        """Return the configuration that an edit must fit, loaded if it is a directory."""
        if isinstance(config, (str, os.PathLike)):
            from statefmt.library._configuration import loaded_configuration

            with located(self.location):
                return loaded_configuration(config, self._context.environment, variables, variable_files)
        if variables or variable_files:
            raise StoreError("variables= and variable_files= need config= with a directory")
        return config

    def _copy(self, out: str, command: str, overwrite: bool, keep_backup: bool) -> Copy:
        from statefmt.edit.copies import FileCopy, OutputCopy

        if out == STANDARD_INPUT:
            return OutputCopy(self._context)
        return FileCopy(self._context, out, command, overwrite, keep_backup)

    @contextmanager
    def _opened(self, terms: Terms, opening: Callable[[bytes], LoadedState] | None = None) -> Iterator[OpenedEdit]:
        """Open the state for an edit, and forget what was read if it was written or opened in another way."""
        from statefmt.edit.pipeline import opened_edit

        self._refuse_nested()
        self._is_edited = True
        try:
            with located(self.location), opened_edit(self._context, self._store, terms, opening=opening) as opened:
                # Nothing must read the file under the lock.
                self._found = opened.state
                yield opened
                if terms.in_place or opening is not None:
                    self._found = None
        finally:
            self._is_edited = False

    def _even_damaged(self, data: bytes) -> LoadedState:
        from statefmt.edit.damaged import loaded_to_mend

        return loaded_to_mend(self._context, self.location, data)[0]

    def _refuse_nested(self) -> None:
        if self._is_edited:
            raise StoreError(f"{self.location}: an edit is open, and its lock would be lost; end it first")


def _terms(
    operation: str,
    message: str,
    lock: bool,
    lock_timeout: float,
    backup: str | os.PathLike[str] | None,
    keep_backup: bool,
    dry_run: bool,
) -> Terms:
    from statefmt.edit.pipeline import Terms

    return Terms(
        operation=operation,
        command=message or operation,
        backup=None if backup is None else os.fspath(backup),
        keeps_backup=keep_backup,
        dry_run=dry_run,
        lock=lock,
        timeout=lock_timeout,
    )
