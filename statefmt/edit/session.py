"""Finds, loads and rewrites states: their names, stores and histories."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field, structs

from statefmt.context import RunContext
from statefmt.formats import Style
from statefmt.formats.providers import KEEP, SourceChoice, SourceReport, SourceRewriter
from statefmt.formats.reading import ReadResult, Upgraded, read
from statefmt.model import findings as codes
from statefmt.model.addrs.provider import LEGACY_NAMESPACE
from statefmt.model.errors import EncryptedStateError, NotAStateError, StateError, StoreError, Wording
from statefmt.model.findings import Code, Command, Finding, Fix, Severity
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.sealed import Seal, opened
from statefmt.store.backends import RemoteName, VersionName, state_words
from statefmt.store.backends.options import allowed_paths
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name, find_states, is_folder
from statefmt.text import pattern, printable, shell_word

if TYPE_CHECKING:
    from statefmt.store.local.recording import EditHistory
    from statefmt.store.local.store import LocalFile
    from statefmt.store.opening import RemoteStore
    from statefmt.store.protocol import ManagedStore, Store
    from statefmt.whereabouts.find import FoundBackend


# A provider with its type only, in the detail of a finding.
_TYPE_ONLY: Final = pattern(r'/-/([^"/\s]++)"\]')


class LoadedState(Struct, frozen=True):
    """A loaded state: its name, its plain bytes and their parsed content.

    If provider sources were rewritten, `sources` lists the changes and `result` includes them. `seal` is set if the
    file is encrypted. If `is_new`, the state is not stored yet, and `data` is an empty state.
    """

    name: str
    data: bytes
    result: ReadResult
    sources: SourceReport = field(default_factory=SourceReport)
    seal: Seal | None = None
    is_new: bool = False

    @property
    def stored(self) -> bytes:
        """The bytes in the file."""
        if self.is_new:
            return b""
        return self.data if self.seal is None else self.seal.stored

    def to_store(self, content: bytes) -> bytes:
        """Encrypt new content if the state is encrypted. Raises EncryptionError."""
        return content if self.seal is None else self.seal.sealed(content)


class StateFileError(StateError):
    """A StateError with the name of its file."""

    def __init__(self, name: str, error: StateError) -> None:
        super().__init__(error.findings)
        self.name = name


def state_name(context: RunContext, name: str | None, *, to_read: bool = False) -> str:
    """Return the name of the state for a command, by default of the current folder and workspace.

    A folder means its state, and a URL a state in a backend, whose name is a RemoteName. Raises StoreError if it cannot
    be found, if its path contains control characters, or if it leads outside the folder: a repository must not choose
    other files to read or write. Raises RemoteStateError if the state is in a backend that statetool does not support.
    Unless the state is only `to_read`, notes a changed backend block.
    """
    if name is not None and "://" in name:
        if isinstance(name, (RemoteName, VersionName)):
            return name
        from statefmt.whereabouts import url_name

        at_url = url_name(name, context.environment, context.backend)
        if at_url is not None:
            return at_url
    folder = Path() if name is None else Path(name)
    if name is not None and (name == STANDARD_INPUT or not is_folder(name)):
        return name
    from statefmt.whereabouts import changed_block, state_in_record
    from statefmt.whereabouts.find import find_backend

    found = find_backend(folder, context.environment, context.backend)
    if wrong := state_in_record(found):
        context.note(wrong)
    named = backend_state_name(context, found)
    # Reading a configuration takes time.
    if not to_read and found.type != "local" and (change := changed_block(found, context.environment)):
        context.note(change)
    return named


def backend_state_name(context: RunContext, found: FoundBackend) -> str:
    """Return the name of the state in a backend of a folder. Raises the errors of state_name()."""
    from statefmt.store.backends.types import SUPPORTED
    from statefmt.whereabouts import folder_name, inside_state, local_state
    from statefmt.whereabouts.find import located, unsupported

    if found.type != "local" and found.type not in SUPPORTED:
        raise unsupported(found)
    state = located(found, context.environment)
    if found.type != "local":
        return folder_name(state, context.backend)
    path = local_state(state)
    if not str(path).isprintable():
        raise StoreError(
            f"the path of the current workspace's state, {shell_word(str(path))}, contains control characters: "
            "correct TF_WORKSPACE, TF_DATA_DIR or the backend"
        )
    inside = inside_state(state, allowed_paths(context.backend, context.environment))
    if inside is None:
        real = os.path.realpath(path)
        # The target of a link differs from the path.
        through = "" if real == os.path.abspath(path) else f", which is {printable(real)}"  # noqa: PTH100
        raise StoreError(
            "the workspace, data directory or backend of this folder places its state outside the folder, in "
            f"{path}{through}; if that is intended, ",
            Wording(
                f"name it with --state, or use --allow-path {shell_word(real)}",
                f"pass its path to statefmt.open(), or put {real!r} in the allowed_paths of BackendOptions",
            ),
        )
    if is_folder(path):
        # Otherwise the folder would mean another state.
        raise StoreError(f"{path}: this is a folder, not a state file")
    return inside


def load(context: RunContext, name: str, sources: SourceChoice = KEEP) -> LoadedState:
    """Read a state from a path, or from standard input for `-`, and rewrite its provider sources as chosen.

    The serial rises by one if a source changes. Raises StoreError if the state cannot be read, and StateFileError if it
    is not a valid state.
    """
    return loaded(context, name, context.read(name), sources)


def loaded(
    context: RunContext, name: str, data: bytes, sources: SourceChoice = KEEP, *, like: ReadResult | None = None
) -> LoadedState:
    """Like load(), for bytes that were already read from `name`; faster if most resources are the same in `like`.

    Raises StateFileError, and EncryptionError if the bytes cannot be decrypted.
    """
    try:
        return loaded_plain(name, data, sources, like=like)
    except StateFileError as error:
        if not isinstance(error.__cause__, EncryptedStateError):
            raise
        found = opened(context, name, data)
        configuration = None if found is None else context.configuration()
        if found is None or configuration is None:
            raise
    return loaded_plain(name, found.plain, sources, Seal(data, found, configuration), like=like)


def loaded_plain(
    name: str,
    data: bytes,
    sources: SourceChoice = KEEP,
    seal: Seal | None = None,
    *,
    like: ReadResult | None = None,
    upgraded: Upgraded | None = None,
) -> LoadedState:
    """Like loaded(), for plain bytes; `seal` is given if they were decrypted, `upgraded` if they were parsed before.

    Raises StateFileError and StoreError.
    """
    rewriter = SourceRewriter(sources)
    edit = rewriter.document if sources else None
    try:
        if like and not sources:
            # Imported late: most commands read one state.
            from statefmt.formats.reading.beside import read_beside

            result = read_beside(data, like)
        else:
            result = read(data, edit, upgraded, as_terraform=True)
        _refuse_other_files(result)
    except StateError as error:
        shown = _with_way_out(error, name, data) if isinstance(error, NotAStateError) else error
        raise StateFileError(display_name(name), shown) from shown
    if rewriter.report.changed:
        result = structs.replace(result, snapshot=with_next_serial(result.snapshot, display_name(name)))
    return LoadedState(name, data, result, rewriter.report, seal)


def repeated_members(state: LoadedState) -> str:
    """Describe how each program reads repeated members of a state, with advice; "" if all programs agree."""
    found = [finding.pointer for finding in state.result.findings if finding.code == Code.DUPLICATE_MEMBER]
    if not found:
        return ""
    more = "" if len(found) == 1 else f" and {len(found) - 1} more"

    command = " ".join(("statetool fmt", *map(shell_word, state_words(state.name))))
    return (
        f"it repeats {found[0]}{more}, which Terraform and OpenTofu merge, while most other programs, such as jq, read "
        f"only the last; `{command}` writes what Terraform and OpenTofu read"
    )


def reread(state: LoadedState, sources: SourceChoice) -> LoadedState:
    """Return a loaded state with other provider sources. Raises StateFileError and StoreError."""
    return loaded_plain(state.name, state.data, sources, state.seal, upgraded=state.result.upgraded)


def with_next_serial(snapshot: Snapshot, name: str) -> Snapshot:
    """Increase the serial; `name` is for the message. Raises StoreError if it is already the highest."""
    if snapshot.serial >= HIGHEST_SERIAL:
        raise StoreError(
            f"{name}: the serial is {HIGHEST_SERIAL}, the highest possible, so the state cannot be changed"
        )
    return structs.replace(snapshot, serial=snapshot.serial + 1)


class Rewritten(Struct, frozen=True):
    """A state in canonical form, with findings on everything that changed or was lost."""

    content: bytes
    notes: tuple[Finding, ...]


def rewrite(loaded: LoadedState, style: Style, *, drop_unknown: bool) -> Rewritten:
    """Convert a state to canonical form in a style, and note every choice, change and loss.

    Raises StateFileError if the result cannot be read again: legacy provider names with an underscore have no valid
    address today.
    """
    # Imported late, here and below: commands that only read start faster.
    from statefmt.formats.reading.repeated import duplicate_members
    from statefmt.formats.writing import made_canonical

    content = made_canonical(loaded.data, loaded.result.snapshot, style, keep_unknown=not drop_unknown)
    notes = loaded.result.findings
    if content is not loaded.data:
        notes += tuple(duplicate_members(loaded.data, loaded.result.version, notes))
        try:
            read(content)
        except StateError as error:
            named = StateError([_with_source(finding, loaded.name) for finding in error.findings])
            raise StateFileError(f"{display_name(loaded.name)} (its canonical form, not written)", named) from error
    return Rewritten(content, notes)


def _with_source(finding: Finding, name: str) -> Finding:
    """Add advice on naming the source of a provider whose type alone makes no valid address."""
    found = _TYPE_ONLY.search(finding.detail) if finding.code == Code.PROVIDER_ADDRESS_INVALID else None
    if found is None:
        return finding
    command = Command("upgrade", ("--legacy-provider", f"{found[1]}=NAMESPACE/TYPE", *state_words(name)))
    return replace(finding, fix=Fix.of("Name the source of the provider: ", command, "."))


def would_rewrite(loaded: LoadedState, style: Style, *, drop_unknown: bool) -> bool:
    """Return whether rewrite() would change a state, faster and with less memory.

    Raises StateFileError like rewrite().
    """
    from statefmt.formats.writing import is_canonical

    if names_legacy_providers(loaded.result.snapshot):
        return rewrite(loaded, style, drop_unknown=drop_unknown).content is not loaded.data
    return not is_canonical(loaded.data, loaded.result.snapshot, style, keep_unknown=not drop_unknown)


def names_legacy_providers(snapshot: Snapshot) -> bool:
    """Return whether a provider is known by its type only."""
    configs = {resource.provider_config for resource in snapshot.resources}
    return any(config is not None and config.provider.namespace == LEGACY_NAMESPACE for config in configs)


def _with_way_out(error: NotAStateError, name: str, data: bytes) -> NotAStateError:
    """Add advice to salvage a damaged state."""
    # Imported late: most files are states.
    from statefmt.formats.reading.damaged import SALVAGING, has_parts

    if not has_parts(data):
        return error
    fix = Fix.of(Command("salvage", state_words(name)), SALVAGING)
    return NotAStateError([replace(finding, fix=fix) for finding in error.findings])


def _refuse_other_files(result: ReadResult) -> None:
    """Raise NotAStateError for content that parses but must not be edited: backend configuration, invalid UTF-8."""
    found = [finding for finding in result.findings if finding.code in codes.NO_STATE]
    if found:
        raise NotAStateError([replace(finding, severity=Severity.ERROR) for finding in found])


def store_at(context: RunContext, name: str) -> Store:
    """Return the store of a state: a file, a state in a backend or a version of it or, for `-`, standard input."""
    if name == STANDARD_INPUT:
        from statefmt.store.protocol import standard_input

        return standard_input(lambda: context.read(STANDARD_INPUT))
    if isinstance(name, (RemoteName, VersionName)):
        from statefmt.store.opening import remote_content

        return remote_content(name, context.connection())
    return _kept_at(context, name)


def history_at(context: RunContext, name: str) -> EditHistory:
    """Return the history of a file, or of a state in a backend."""
    return _kept_at(context, name).history


def managed_store_at(context: RunContext, name: str, *, makes_folders: bool = False) -> ManagedStore:
    """Return the store of a state that may be missing: a file, or a state in a backend.

    With `makes_folders`, writing a new file creates its folders. Raises StoreError for standard input and git.
    """
    if name == STANDARD_INPUT or name.startswith(GIT):
        raise StoreError(f"{display_name(name)}: only a file or a state in a backend can be named here")
    return _kept_at(context, name, makes_folders=makes_folders)


def _kept_at(context: RunContext, name: str, *, makes_folders: bool = False) -> LocalFile | RemoteStore:
    # Imported here: commands that only check start faster without it.
    if isinstance(name, RemoteName):
        from statefmt.store.opening import remote_store

        return remote_store(name, context.connection())
    from statefmt.store.local.store import LocalFile

    return LocalFile(name, context, makes_folders=makes_folders)


def listed_states(context: RunContext, names: Iterable[str], *, everything: bool = False) -> list[str]:
    """Expand names to states for reading, in the given order and without duplicates.

    A URL is one state. A folder expands to its state in a backend, if any, and to the files that `find_states` finds
    below it, like a glob. Raises StoreError like `find_states`, and RemoteStateError if a folder has no files and an
    unsupported backend.
    """

    found: dict[str, None] = {}
    for name in names:
        if "://" in name:
            found.update(dict.fromkeys(find_states([state_name(context, name, to_read=True)], everything=everything)))
        elif is_folder(name):
            found.update(dict.fromkeys(_of_folder(context, name, everything)))
        else:
            allowed = allowed_paths(context.backend, context.environment)
            found.update(dict.fromkeys(find_states([name], everything=everything, allowed=allowed)))
    return list(found)


def _of_folder(context: RunContext, folder: str, everything: bool) -> list[str]:
    problem: StoreError | None = None
    own = ""
    try:
        own = state_name(context, folder, to_read=True)
    except StoreError as error:
        problem = error
    is_remote = isinstance(own, RemoteName)
    try:
        allowed = allowed_paths(context.backend, context.environment)
        below = find_states([folder], everything=everything, allowed=allowed)
    except StoreError:
        if problem is not None:
            raise problem from None
        if not is_remote:
            raise
        below = []
    if problem is not None:
        context.note(f"{problem.on_command_line}; only the files below are used")
    return [own, *below] if is_remote else below
