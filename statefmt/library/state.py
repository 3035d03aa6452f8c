"""Opens states, to read, compare, check and edit them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Unpack

from statefmt._lazy import checked_methods, refuse_unknown
from statefmt.context import ProgressReport, RunContext
from statefmt.edit.session import LoadedState, state_name
from statefmt.library._handle import Encryption, StateHandle, encryption_loader, loaded_configuration, located
from statefmt.model.errors import MissingStateError, StateError, StoreError
from statefmt.model.findings import Finding
from statefmt.model.snapshot import ResourceState, Snapshot

if TYPE_CHECKING:
    # Most programs only read.
    from statefmt.analysis.diff.model import SnapshotDiff
    from statefmt.analysis.selection import Selector
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.edit.changes import Edit
    from statefmt.edit.pipeline import EditOptions
    from statefmt.edit.repairs import Decision, RepairResult
    from statefmt.edit.repairs.find import FoundDefects
    from statefmt.edit.repairs.member_choices import Defect
    from statefmt.encryption import Opened
    from statefmt.formats.releases import Release
    from statefmt.library.migrating import DowngradeOptions, Migration, UpgradeOptions
    from statefmt.library.selecting import Filters, Selected
    from statefmt.library.text_edit import TextEdit
    from statefmt.library.transaction import EditResult, Transaction
    from statefmt.library.values import Output
    from statefmt.store.backends.options import BackendOptions
    from statefmt.store.protocol import HistoryEntry
    from statefmt.store.reading import ReadReport


def open(  # noqa: A001 - the public name; nothing here opens files
    location: str | os.PathLike[str],
    *,
    context: RunContext | None = None,
    encryption: Encryption | None = None,
    read: bool = True,
) -> State:
    """Open and read a state.

        state = statefmt.open("terraform.tfstate")
        state = statefmt.open("prod.tfstate", encryption="encryption.hcl")

    Args:
        location: The path of a file, or of a folder for the state of its root module and workspace; a URL of a state in
            a backend, such as `s3://BUCKET/KEY?region=…`, `pg://HOST/DATABASE?workspace=…` or `https://…`; or
            `git:REVISION:PATH` for a version in git, which can only be read.
        context: Environment variables, clock, user and callbacks, made by `run_context()`; default: no variables, and
            the clock and the user of the system.
        encryption: How to open and write an encrypted state: the path of a configuration file (HCL or JSON) or of a
            module, the text of a configuration (bytes, or a string with a brace), its structure as in JSON syntax, or
            an EncryptionConfiguration. It is merged over the variable TF_ENCRYPTION of the context.
        read: Read the state now. Otherwise it is read on first use, such as by `edit()` under its lock.

    Credentials for backends come from the environment of the context, as for OpenTofu. `os.environ` has that of the
    process:

        state = statefmt.open("s3://states/app", context=statefmt.run_context(environment=os.environ))

    Raises StoreError if the state cannot be found or read, RemoteStateError if the folder keeps it in a backend that
    statetool does not support, StateError if it is invalid, EncryptedStateError if it is encrypted
    and `encryption` is missing, and EncryptionError if it cannot be decrypted.
    """
    name = os.fspath(location)
    if context is None:
        context = run_context()
    # Without a location: a URL may have a password.
    name = state_name(context, name)
    with located(name):
        context = replace(context, encryption=encryption_loader(encryption, context))
        state = State(context, name)
        if read:
            state.reload()
    return state


_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def run_context(
    *,
    environment: Mapping[str, str] = _NOTHING,
    clock: Callable[[], datetime] | None = None,
    user: Callable[[], str] | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: ProgressReport | None = None,
    backend: BackendOptions | None = None,
) -> RunContext:
    """Return a context for `statefmt.open()`.

        statefmt.open("terraform.tfstate", context=statefmt.run_context(environment=os.environ, note=print))

    Args:
        environment: Variables such as TF_ENCRYPTION, TF_VAR_passphrase and the credentials of backends. The library
            does not read those of the process by itself; without this argument there are none.
        clock: Returns the current time with its time zone, for locks, backups and the history; default: the system's.
        user: Returns `name@host`, for locks and the history; default: the user of the process.
        note: Receives a sentence on each side effect, such as the recovery of an interrupted write.
        progress: Receives the name of a phase, how much is done, of how much, and the unit, "" for bytes. An exception
            that it raises cancels the operation and leaves the state as it was.
        backend: Options for states in backends, as `statefmt.locations.BackendOptions`: the workspace of a
            folder, settings as `--backend-config` takes them, and permissions, such as hosts that get
            credentials of the environment although only a folder names them.
    """
    clock = clock or (lambda: datetime.now(UTC))
    return RunContext(
        environment, clock, user or _user, note, _no_input, _no_output, progress=progress, backend=backend
    )


def _user() -> str:
    """Return `name@host` with the system's name of the user; unlike getpass, ignores the environment."""
    from socket import gethostname

    try:
        import pwd

        name = pwd.getpwuid(os.getuid()).pw_name
    except ImportError:
        name = os.getlogin()
    except KeyError:
        # A container may run as a user without a name.
        name = str(os.getuid())
    return f"{name}@{gethostname()}"


def _no_input(_: ReadReport | None) -> bytes:
    raise StoreError("the library does not read standard input; read it and call statefmt.read()")


def _no_output(_: bytes) -> None:
    raise StoreError("the library does not write to standard output; name a file")


@checked_methods
class State:
    """A state at a location, as `statefmt.open()` returns it.

    The content is cached: `reload()` reads it again, and after an edit the new content is read on first use. An edit
    always starts from the current content of the file.

    Different states may be used by different threads, and several states of one file by one or more processes: of two
    concurrent edits, the second waits for the lock or raises LockedError. Except on Linux, the lock belongs to the
    process: while an edit is open, nothing else in the process may open the same file, since closing it would drop the
    lock.
    """

    def __init__(self, context: RunContext, location: str) -> None:
        """Use `statefmt.open()` instead, which also takes care of encryption."""
        self._handle = StateHandle(context, location)

    def __repr__(self) -> str:
        return f"<State {self.location}>"

    @property
    def location(self) -> str:
        """The path of the file, or the URL of the state in a backend, without credentials."""
        return self._handle.location

    @property
    def snapshot(self) -> Snapshot:
        """The parsed content, for `statefmt.diff()` and the pure functions."""
        return self._handle.loaded.result.snapshot

    @property
    def data(self) -> bytes:
        """The bytes of the file, decrypted if it is encrypted; with all secrets in plain text."""
        return self._handle.loaded.data

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of the parser; `check()` finds more."""
        return self._handle.loaded.result.findings

    @property
    def version(self) -> int:
        """The format version of the file, 1 to 4."""
        return self._handle.loaded.result.version

    @property
    def serial(self) -> int:
        """The serial, which rises with each change."""
        return self.snapshot.serial

    @property
    def lineage(self) -> str:
        """The lineage, which identifies the state; "" if it has none."""
        return self.snapshot.lineage

    @property
    def is_encrypted(self) -> bool:
        """Whether the file is encrypted."""
        return self._handle.loaded.seal is not None

    @property
    def encryption(self) -> Opened | None:
        """How the file was decrypted; None if it is not encrypted."""
        seal = self._handle.loaded.seal
        return None if seal is None else seal.opened

    @property
    def resources(self) -> tuple[ResourceState, ...]:
        """The resources, in file order."""
        return self.snapshot.resources

    @property
    def outputs(self) -> Mapping[str, Output]:
        """The outputs of the root module by name, in file order; a sensitive value is a `Sensitive`."""
        from statefmt.library.values import Output

        return MappingProxyType({output.name: Output(output) for output in self.snapshot.outputs})

    def exists(self) -> bool:
        """Return whether the state exists. Reads it, and raises the errors of `reload()`."""
        try:
            return bool(self._handle.loaded)
        except MissingStateError:
            return False

    def select(self, *selectors: Selector, **filters: Unpack[Filters]) -> Selected:
        """Return the instances that match any selector and all filters, in the order of `tofu state list`.

        Selectors are addresses and patterns as on the command line, or typed addresses. Without selectors and filters,
        returns all instances. `.one()` of the result returns a single instance.

        Raises SelectionError if a selector or a filter is invalid or matches nothing.

            state.select("module.*.aws_instance.web[*]", provider='aws.by_region["eu-west-1"]')
        """
        from statefmt.library.selecting import criteria, selected

        with located(self.location):
            return selected(self.snapshot, criteria(selectors, filters), self._handle.context.note)

    def check(self, *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None) -> list[Finding]:
        """Return the findings of the rules of `statetool check`, sorted by address.

        `select` and `ignore` are codes of rules or prefixes of codes. Raises ValueError if one matches no rule.
        """
        from statefmt.lint.check import check

        state = self._handle.loaded
        seal = None if state.seal is None else state.seal.opened
        return check(state.data, select=select, ignore=ignore, name=self.location, opened=seal)

    def diff(self, other: State | Snapshot) -> SnapshotDiff:
        """Return the changes from this state to `other`."""
        from statefmt.analysis.diff import diff

        return diff(self.snapshot, other.snapshot if isinstance(other, State) else other)

    def history(self) -> tuple[HistoryEntry, ...]:
        """Return the edits that `undo()` can revert, oldest first. Raises StoreError."""
        with located(self.location):
            return tuple(self._handle.store.versions())

    def reload(self, like: State | None = None) -> None:
        """Read the state again. Raises StoreError, StateError or EncryptionError, and keeps the previous content.

        It takes less time if most resources are the same in `like`, such as another version of the state.
        """
        self._handle.reload(None if like is None else like._handle.loaded.result)

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
        allow_mismatch: bool = False,
        written: Callable[[EditResult], None] | None = None,
        options: EditOptions | None = None,
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
            dry_run: Write nothing; `diff`, `serial` and `findings` describe the result.
            out: Write the result to this file, or to the output of the context for `-`, and leave the state as it is.
            overwrite: Replace an existing file `out`, and keep a backup of it.
            expect_serial: Fail unless the state has this serial.
            expect_hash: Fail unless the file has this SHA-256 hash, in hexadecimal digits.
            config: The configuration that the edit must fit, or its directory. Instances must move to addresses, and be
                bound to providers, that it declares. `findings` include new mismatches with it.
            variables: Input variables for `config`, as `--var` takes them, over `variable_files` and TF_VAR_….
            variable_files: Files of input variables for the directory `config`.
            operation: The name of the operation, in the lock.
            even_damaged: Also open an unusable state: its snapshot has only the serial and the lineage, if any.
            allow_mismatch: With `config`, allow a provider instance of another account or region than the object's.
            written: Called after the write, before a signal that arrived during it stops the program.
            options: The operation, the message, and the arguments from `lock` to `expect_hash`, as one value.

        Raises LockedError if the state is locked, StoreError if the serial or the hash differs or if the state cannot
        be read or written, and StateError if it is invalid or the edit would add an error finding.
        """
        from statefmt.library.transaction import edit_options, transaction

        how = (lock, lock_timeout, backup, keep_backup, dry_run, out, overwrite, expect_serial, expect_hash)
        options = edit_options(options, operation, message, *how, allow_mismatch)
        references = self._references(config, variables, variable_files)
        opening = self._even_damaged if even_damaged else None
        with self._handle.opened(options, opening) as opened, transaction(opened, references, written) as made:
            yield made
        if options.in_place and not made.is_cancelled:
            self._handle.store.tidy()

    @contextmanager
    def edit_text(
        self,
        address: Selector | None = None,
        *,
        message: str = "",
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
        written: Callable[[EditResult], None] | None = None,
        options: EditOptions | None = None,
    ) -> Iterator[TextEdit]:
        """Edit the state, or the attributes of the instance at `address`, as text in a `with` block.

            with state.edit_text() as edit:
                edit.propose(edit.text.replace(b"t3.small", b"t3.large"))
                edit.write()

        A damaged state can only be edited as a whole. The state is locked in the block, and SIGTERM and SIGHUP raise an
        exception in it, so that they leave no lock and no temporary file. The other arguments are those of `edit()`.

        Raises LockedError if the state is locked, StoreError if the serial or the hash differs, or if the state cannot
        be read or has an older format version, EncryptionError if it cannot be decrypted, SelectionError if `address`
        matches nothing, and StateError if the state is damaged and an address is given.
        """
        from statefmt.analysis.selection import selector_text
        from statefmt.library.text_edit import text_edit
        from statefmt.library.transaction import edit_options
        from statefmt.store.remote.interruption import interruptible

        how = (lock, lock_timeout, backup, keep_backup, dry_run)
        options = edit_options(options, "edit", message, *how, out, overwrite, expect_serial, expect_hash)
        references = self._references(config, None, ())
        damage: list[StateError] = []

        def opening(data: bytes) -> LoadedState:
            from statefmt.edit.operations.undo import loaded_to_mend

            found, error = loaded_to_mend(self._handle.context, self.location, data)
            damage.extend([] if error is None else [error])
            return found

        selector = None if address is None else selector_text(address)
        with (
            interruptible(),
            self._handle.opened(options, opening) as opened,
            text_edit(opened, selector, damage[0] if damage else None, references, written) as made,
        ):
            yield made
        if options.in_place and made.is_written:
            self._handle.store.tidy()

    def undo(
        self,
        to: int | None = None,
        *,
        message: str = "",
        discard_changes: bool = False,
        only: bool = False,
        lock: bool = True,
        lock_timeout: float = 0.0,
        backup: str | os.PathLike[str] | None = None,
        keep_backup: bool = True,
        dry_run: bool = False,
    ) -> EditResult:
        """Undo the last edit that statetool made to the state, or edit `to` and all later ones.

        An undo is an edit, too: the restored content gets a new, higher serial, and a second undo reverts the first.
        With `discard_changes`, undoes even if something else has changed the state since. With `only`, an edit of
        several states is undone in this state only, and the notes of the result name objects that are then in two
        states or in none; `statefmt.operations_files.undo_together()` undoes it in all states. The other arguments are
        those of `edit()`. The state and its earlier content may be damaged. Raises StoreError if there is no such edit,
        or, without `only`, if it changed several states.
        """
        from statefmt.edit.operations.undo import undo_request
        from statefmt.edit.transactions.by_history import undone_alone
        from statefmt.library.transaction import edit_options, transaction

        self._handle.refuse_nested()
        with located(self.location):
            request = undo_request(self._handle.store, to)
            if not only:
                request.refuse_one_of_several()
            if not discard_changes:
                request.refuse_foreign()
        edit = edit_options(None, "undo", message, lock, lock_timeout, backup, keep_backup, dry_run)
        if not discard_changes:
            changed = (
                f"something else has changed the state since edit {request.last.number} ({request.last.command}); "
                "nothing was written. discard_changes=True undoes it anyway"
            )
            edit = replace(edit, expect_hash=request.last.after, changed=changed)

        def undone(snapshot: Snapshot) -> Edit:
            edit = request.edit(self._handle.context, snapshot, discards_changes=discard_changes)
            return undone_alone(self._handle.context, self._handle.location, request, snapshot, edit)

        with self._handle.opened(edit, self._even_damaged) as opened, transaction(opened) as made:
            made.apply(undone)
        if edit.in_place:
            self._handle.store.tidy()
        return made.result

    def defects(
        self,
        *,
        config: str | os.PathLike[str] | ProviderReferences | None = None,
        variables: Mapping[str, str] | None = None,
        variable_files: Sequence[str | os.PathLike[str]] = (),
        show_sensitive: bool = False,
    ) -> FoundDefects:
        """Return the defects that make the state unreadable, with the choices that repair them; see `statefmt.repairs`.

        A state opened with `read=False` may have any defects. Choices also use the configuration; `config`, `variables`
        and `variable_files` are as for `edit()`. `show_sensitive` shows secret ids. Raises StoreError if the file or
        the configuration cannot be read, StateError if the file is not a state, and EncryptionError if it cannot be
        decrypted.
        """
        from statefmt.library.text_edit import listed_defects

        references = self._references(config, variables, variable_files)
        return listed_defects(self._handle, references, show_sensitive=show_sensitive)

    def repair(
        self,
        decisions: Sequence[Decision] = (),
        *,
        ask: Callable[[Defect], str | None] | None = None,
        config: str | os.PathLike[str] | ProviderReferences | None = None,
        variables: Mapping[str, str] | None = None,
        variable_files: Sequence[str | os.PathLike[str]] = (),
        show_sensitive: bool = False,
        message: str = "",
        lock: bool = True,
        lock_timeout: float = 0.0,
        backup: str | os.PathLike[str] | None = None,
        keep_backup: bool = True,
        dry_run: bool = False,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        expect_serial: int | None = None,
        expect_hash: str | None = None,
        agreed: Callable[[RepairResult], bool] = lambda _: True,
        written: Callable[[RepairResult], None] = lambda _: None,
        options: EditOptions | None = None,
    ) -> RepairResult:
        """Repair the defects of a state as decided, and keep all other bytes.

            state = statefmt.open("broken.tfstate", read=False)
            state.repair([repairs.parse_decision("ADR002 * keep=first")])

        Args:
            decisions: The choices for the defects.
            ask: Called under the lock for each defect without a decision; returns one of its choices, such as
                `keep=first`, or None to leave it.
            config: The configuration that choices may take providers from, as for `defects()`.
            show_sensitive: Name objects by their ids even if those are secret.
            agreed: Called before the result is written; prevents that if it returns False.
            written: Called right after the write, before a signal that arrived during it stops the program.

        The other arguments are those of `edit()`. A readable state must get no new error; an unreadable state is
        written with its remaining errors, which are in `findings`. Raises SurgeryError if a decision matches no defect,
        if a defect does not have the choice, or if the result is unreadable, and the errors of `edit()`.
        """
        from statefmt.library.text_edit import repaired
        from statefmt.library.transaction import edit_options

        how = (lock, lock_timeout, backup, keep_backup, dry_run)
        options = edit_options(options, "repair", message, *how, out, overwrite, expect_serial, expect_hash)
        references = self._references(config, variables, variable_files)
        return repaired(
            self._handle,
            options,
            decisions,
            ask,
            references,
            show_sensitive=show_sensitive,
            agreed=agreed,
            written=written,
        )

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
        inferred from the lock file beside the state, or in the folder of the state. A state in a backend keeps its
        layout by default. `undo()` reverts the upgrade. Raises the errors of both.
        """
        from statefmt.library.migrating import UpgradeOptions, migrated, upgraded
        from statefmt.library.transaction import edit_options

        refuse_unknown("option", options, UpgradeOptions.__annotations__)
        edit = edit_options(None, "upgrade", message, lock, lock_timeout, backup, keep_backup, dry_run)
        return migrated(self._handle, edit, options, lambda found: upgraded(found, options))

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

        Takes the options of `statefmt.downgrade()`, and the other arguments of `edit()`. The default layout of a state
        in a backend is that release's layout in backends. Raises the errors of both.
        """
        from statefmt.library.migrating import DowngradeOptions, downgraded, migrated, wanted_release
        from statefmt.library.transaction import edit_options

        refuse_unknown("option", options, DowngradeOptions.__annotations__)
        with located(self.location):
            wanted = wanted_release(release)
        edit = edit_options(None, "downgrade", message, lock, lock_timeout, backup, keep_backup, dry_run)
        return migrated(self._handle, edit, options, lambda found: downgraded(found, wanted, options))

    def _references(
        self,
        config: str | os.PathLike[str] | ProviderReferences | None,
        variables: Mapping[str, str] | None,
        variable_files: Sequence[str | os.PathLike[str]],
    ) -> ProviderReferences | None:
        """Return the configuration for an edit, loaded if it is a directory."""
        if isinstance(config, (str, os.PathLike)):
            with located(self.location):
                return loaded_configuration(config, self._handle.context.environment, variables, variable_files)
        if variables or variable_files:
            raise StoreError("variables= and variable_files= need config= with a directory")
        return config

    def _even_damaged(self, data: bytes) -> LoadedState:
        from statefmt.edit.operations.undo import loaded_to_mend

        return loaded_to_mend(self._handle.context, self.location, data)[0]
