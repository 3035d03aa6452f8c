"""Copies states between places, byte for byte, after a comparison; finds the routes of workspaces."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from itertools import chain, count
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, structs

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, backend_state_name, loaded, managed_store_at, state_name
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.model.errors import StatetoolError, StoreError, Wording
from statefmt.sealed import about
from statefmt.store.backends import RemoteName, state_words
from statefmt.store.backends.description import DEFAULT_WORKSPACE, WorkspaceChoice, WorkspaceSource, is_workspace_name
from statefmt.store.backends.options import BackendOptions
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import LockedManagedStore, LockInfo, ManagedStore, WriteTerms
from statefmt.store.reading import STANDARD_INPUT, display_name, is_folder
from statefmt.text import shell_line
from statefmt.whereabouts import listed_workspaces
from statefmt.whereabouts.find import (
    FoundBackend,
    FoundState,
    configured_backend,
    find_backend,
    initialised_backend,
    located,
)


class Route(Struct, frozen=True):
    """The source and the target of a copy; `workspace` is for messages, "" if there is only one."""

    source: ManagedStore
    target: ManagedStore
    workspace: str = ""


class Transfer(Struct, frozen=True):
    """The copy of one state: its effect, and its progress.

    `checksum` is the SHA-256 of the content, `size` its length in bytes. `backup` is the path of the backup of the
    replaced target, `kept` of the deleted source; None if there is none.
    """

    workspace: str
    source: str
    target: str
    comparison: Comparison
    checksum: str
    size: int
    is_written: bool = False
    is_deleted: bool = False
    backup: str | None = None
    kept: str | None = None


class TransferTerms(Struct, frozen=True):
    """The options of a transfer: the entries in locks and histories, and whether the sources are deleted.

    `timeout` is in seconds, for each lock, None for no locks. `agreed` is called once, under the locks, before anything
    is written.
    """

    operation: str
    command: str
    timeout: float | None = 0
    dry_run: bool = False
    delete_source: bool = False
    agreed: Callable[[Sequence[Transfer]], bool] = lambda _: True


_Locked: TypeAlias = Mapping[str, LockedManagedStore]


def transferred(context: RunContext, routes: Sequence[Route], terms: TransferTerms) -> tuple[Transfer, ...]:
    """Copy states byte for byte, with lineage and serial, and verify each by its hash.

    All existing states are locked, in the order of their names, and all are compared before the first write. A place
    without a state is locked only while it is written, and must still be empty: in PostgreSQL, only one state can be
    created at a time. With `delete_source`, the sources are deleted at the end, and only in the copied version. After a
    failure, another run continues: a target with the same content stays unchanged. Without agreement, or in a dry run,
    nothing is written. Raises StatetoolError, with a reason for each refused state.
    """
    _refuse_same_places(routes)
    context.phase("reading")
    targets = {route.target.name: route.target.found() for route in routes}
    if terms.dry_run:
        sources = {route.source.name: route.source.found() for route in routes}
        return _compared(context, routes, {name: one.data for name, one in (sources | targets).items() if one})
    with ExitStack() as stack:
        context.phase("locking")
        stores = {route.source.name: route.source for route in routes}
        stores |= {route.target.name: route.target for route in routes if targets[route.target.name] is not None}
        locked: dict[str, LockedManagedStore] = {}
        for name in sorted(stores):
            locked[name] = stack.enter_context(stores[name].locked(*_lock(context, name, terms)))
        transfers = _compared(context, routes, {name: one.stored.data for name, one in locked.items()})
        if not terms.agreed(transfers):
            return transfers
        done = _copied(context, routes, transfers, locked, terms)
        return _deleted(context, done, locked) if terms.delete_source else done


def _lock(context: RunContext, name: str, terms: TransferTerms) -> tuple[LockInfo, float | None]:
    return context.lock_info(name, terms.operation, terms.command), terms.timeout


def _compared(context: RunContext, routes: Sequence[Route], contents: Mapping[str, bytes]) -> tuple[Transfer, ...]:
    """Compare all states. Raises StatetoolError with a reason for each refused state."""
    context.phase("checking")
    transfers: list[Transfer] = []
    refused: list[StatetoolError] = []
    for route in routes:
        source, target = route.source.name, route.target.name
        content = contents.get(source, b"")
        try:
            comparison = compared(context, (source, content), (target, contents.get(target, b"")))
        except StatetoolError as error:
            refused.append(error)
            continue
        transfers.append(Transfer(route.workspace, source, target, comparison, checksum(content), len(content)))
    if len(refused) > 1:
        reasons = "\n".join(str(error).replace("\n", " ") for error in refused)
        raise StoreError(f"{len(refused)} of {len(routes)} states cannot be copied:\n{reasons}") from refused[0]
    if refused:
        raise refused[0]
    return tuple(transfers)


def _copied(
    context: RunContext, routes: Sequence[Route], transfers: Sequence[Transfer], locked: _Locked, terms: TransferTerms
) -> tuple[Transfer, ...]:
    """Write and verify all targets. Raises StatetoolError with the number of written targets."""
    now = int(context.clock().timestamp())
    done: list[Transfer] = []
    for number, (one, transfer) in enumerate(zip(routes, transfers, strict=True)):
        context.phase("writing", number, len(transfers), "states")
        content, target = locked[one.source.name].stored.data, locked.get(one.target.name)
        try:
            if target is not None:
                done.append(_written(transfer, content, target, now))
                continue
            with one.target.locked_place(*_lock(context, one.target.name, terms)) as place:
                if place.stored.data not in (b"", content):
                    raise StoreError(f"{transfer.target}: there is a state by now; it was not replaced. Try again")
                done.append(_written(transfer, content, place, now))
        except StatetoolError as error:
            if len(transfers) == 1:
                raise
            raise StoreError(
                *error.parts,
                f". Of {len(transfers)} states, {number} are copied and verified; no source was deleted. Run the "
                "command again to go on",
            ) from error
    return tuple(done)


def _deleted(context: RunContext, transfers: Sequence[Transfer], locked: _Locked) -> tuple[Transfer, ...]:
    """Delete the sources in the copied version. Raises StatetoolError with the number of deleted sources."""
    now = int(context.clock().timestamp())
    done: list[Transfer] = []
    for number, transfer in enumerate(transfers):
        source = locked[transfer.source]
        with source.undisturbed():
            try:
                kept = source.delete(source.stored.version, now=now)
            except StatetoolError as error:
                raise StoreError(
                    *error.parts,
                    f". All {len(transfers)} states are copied and verified; of the sources, {number} are deleted",
                ) from error
        done.append(structs.replace(transfer, is_deleted=True, kept=kept))
    return tuple(done)


def _written(transfer: Transfer, content: bytes, target: LockedManagedStore, now: int) -> Transfer:
    """Write and verify a target, unless it already has the content."""
    if target.stored.data == content:
        return transfer
    with target.undisturbed():
        backup = target.write([content], target.stored.version, WriteTerms(now))
        if checksum(target.renewed().stored.data) != transfer.checksum:
            raise StoreError(
                f"{transfer.target}: what was written reads back as other bytes, so the copy cannot be trusted; the "
                "source is unchanged"
            )
    return structs.replace(transfer, is_written=True, backup=backup)


def _refuse_same_places(routes: Sequence[Route]) -> None:
    targets = [route.target.name for route in routes]
    for route in routes:
        source = route.source.name
        if any(source == target or _is_same_file(source, target) for target in targets):
            raise StoreError(f"{source}: this is both the source and the target")


def _is_same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


class PlaceName(Struct, frozen=True):
    """The place of a state as a user names it: a file, a folder (None for the current one), or a URL.

    For a folder, `workspace` is the workspace, by default the current one.
    """

    name: str | None
    workspace: str | None = None


class BackendMove(Struct, frozen=True):
    """The move of all workspaces to another backend: a route for each existing state, and the new backend."""

    source: FoundState
    target: FoundState
    routes: tuple[Route, ...]


def route(context: RunContext, source: PlaceName, target: PlaceName) -> Route:
    """Return the route of one state. Raises StoreError if a place cannot be found, and RemoteStateError."""
    makes_folders = target.name is None or is_folder(target.name)
    to_read = _name(context, source, to_read=True)
    to_write = _name(context, target, to_read=False)
    return Route(managed_store_at(context, to_read), managed_store_at(context, to_write, makes_folders=makes_folders))


def backend_move(context: RunContext, source: str | None, target: str | None, settings: Sequence[str]) -> BackendMove:
    """Return the move of all workspaces from the backend of a folder to the backend of a configuration.

    Without a target, or with the same folder, the move is from the backend that `init` recorded to the configured
    backend, with the `settings` of `--backend-config`. Raises StoreError if a backend cannot be found or cannot have
    one of the workspaces, and RemoteStateError if statetool does not open states there.
    """
    from_folder = Path(source or "")
    to_folder = from_folder if target is None else Path(target)
    for folder in (from_folder, to_folder):
        if not is_folder(folder):
            raise StoreError(f"{folder}: this is not a folder; name the folder of a root module")
    asked = structs.replace(context.backend or BackendOptions(), workspace=None, settings=())
    is_same = from_folder.samefile(to_folder)
    old = (initialised_backend if is_same else find_backend)(from_folder, context.environment, asked)
    new = configured_backend(to_folder, context.environment, structs.replace(asked, settings=tuple(settings)))
    routes: list[Route] = []
    for workspace in _workspaces(context, old):
        if not is_workspace_name(workspace):
            # A server, or a stranger's folder, may have any names.
            raise StoreError(f"{from_folder}: {workspace!r} is not the name of a workspace; move that state away first")
        store = managed_store_at(context, _state_of(context, old, workspace))
        if store.found() is None:
            continue
        place = managed_store_at(context, _state_of(context, new, workspace), makes_folders=True)
        routes.append(Route(store, place, workspace))
    if not routes:
        raise StoreError(f"{from_folder}: no workspace has a state in the backend {old.type!r}")
    return BackendMove(_of(context, old, DEFAULT_WORKSPACE), _of(context, new, DEFAULT_WORKSPACE), tuple(routes))


def workspace_names(context: RunContext, folder: str | None) -> tuple[str, ...]:
    """Return the names of the states of all workspaces of a folder, like state_name()."""
    found = find_backend(Path(folder or ""), context.environment, context.backend)
    return tuple(_state_of(context, found, workspace) for workspace in _workspaces(context, found))


def _name(context: RunContext, place: PlaceName, *, to_read: bool) -> str:
    options = structs.replace(context.backend or BackendOptions(), workspace=place.workspace)
    if place.workspace is not None and place.name is not None and not is_folder(place.name):
        raise StoreError(f"{place.name}: only a folder has workspaces, and this is none")
    return state_name(replace(context, backend=options), place.name, to_read=to_read)


def _workspaces(context: RunContext, backend: FoundBackend) -> Sequence[str]:
    return listed_workspaces(backend, context.environment, context.connection()).names


def _state_of(context: RunContext, backend: FoundBackend, workspace: str) -> str:
    options = structs.replace(context.backend or BackendOptions(), workspace=workspace)
    return backend_state_name(replace(context, backend=options), _in(backend, workspace))


def _of(context: RunContext, backend: FoundBackend, workspace: str) -> FoundState:
    return located(_in(backend, workspace), context.environment)


def _in(backend: FoundBackend, workspace: str) -> FoundBackend:
    choice = WorkspaceChoice(workspace, WorkspaceSource.OPTION, backend.place or str(backend.folder))
    return structs.replace(backend, workspace=choice)


# Decides whether a state may replace another state. Stricter than `state push`, which accepts a state without a
# lineage. Source: OpenTofu `internal/states/statemgr/migrate.go` (CheckValidImport).


class TransferAction(StrEnum):
    """The effect of a copy on its target."""

    CREATE = "create"
    REPLACE = "replace"
    NOTHING = "nothing"  # the target has the same bytes already


class StateHead(Struct, frozen=True):
    """The identity of a content. An encrypted state has copies of serial and lineage in plain text."""

    serial: int
    lineage: str
    is_encrypted: bool = False


class Comparison(Struct, frozen=True):
    """The effect of a copy; `replaced` is the present state of the target, if any."""

    action: TransferAction
    head: StateHead
    replaced: StateHead | None = None


def compared(context: RunContext, source: tuple[str, bytes], target: tuple[str, bytes]) -> Comparison:
    """Compare two contents with the names of their places; empty content stands for a missing state.

    Raises StoreError if there is nothing to copy, or if the target has another lineage or a serial that is not lower;
    StateFileError and EncryptionError if a state is unreadable.
    """
    (name, content), (target_name, old) = source, target
    if not content:
        raise StoreError(f"{name}: there is no state to copy")
    head = state_head(context, name, content)
    if not old:
        return Comparison(TransferAction.CREATE, head)
    replaced = state_head(context, target_name, old)
    if content == old:
        return Comparison(TransferAction.NOTHING, head, replaced)
    if not head.lineage or not replaced.lineage:
        missing = name if not head.lineage else target_name
        raise StoreError(
            f"{target_name}: there is a state already, and {missing} has no lineage, so it is not known whether both "
            "are the same state; nothing was written.",
            restoring(name, target_name),
        )
    if head.lineage != replaced.lineage:
        raise StoreError(
            f"{target_name}: there is another state already, with the lineage {replaced.lineage}, not {head.lineage}; "
            "nothing was written.",
            _joining(context, source, target),
        )
    if replaced.serial >= head.serial:
        raise StoreError(
            f"{target_name}: its serial is {replaced.serial}, and that of {name} is {head.serial}: only a state with a "
            "lower serial is replaced; nothing was written.",
            restoring(name, target_name),
        )
    return Comparison(TransferAction.REPLACE, head, replaced)


def restoring(name: str, target: str) -> Wording:
    """Return the end of a message, with the command that puts the content of one state in place of another."""
    words = ["statetool", "restore", "-" if isinstance(name, RemoteName) else name, *state_words(target)]
    command = shell_line(words)
    if isinstance(name, RemoteName):
        command = f"{shell_line(['statetool', 'pull', *name.words])} | {command} --yes"
    return Wording(f" To put this content back nevertheless, with a serial higher than both: `{command}`", "")


def _joining(context: RunContext, source: tuple[str, bytes], target: tuple[str, bytes]) -> Wording:
    try:
        return joining(*(loaded(context, name, content) for name, content in (source, target)))
    except StatetoolError:
        # An unreadable state cannot be joined.
        return Wording("", "")


def joining(source: LoadedState, target: LoadedState) -> Wording:
    """Return the end of a message, with the commands that move the content of a state to another; it may be empty."""
    name, target_name = source.name, target.name
    one, other = _join_word(name), _join_word(target_name)
    if one is None or other is None or _is_empty(source):
        return Wording("", "")
    if source.seal is not None or target.seal is not None:
        return Wording(
            " `statetool join` puts what one state has into the other one, with --encryption for both, and "
            "--allow-plain if only one is encrypted",
            "",
        )
    join = f"`{shell_line(['statetool', 'join', one, '--into', other])}`"
    if source.result.version != CURRENT_VERSION:
        join = f"`{shell_line(['statetool', 'upgrade', '-i', one])}` and then {join}"
    if _is_empty(target):
        return Wording(
            f" {display_name(target_name)} is empty: {join} moves everything from {display_name(name)} into it, and "
            "keeps its lineage",
            "",
        )
    names = chain(["saved.tfstate"], (f"saved-{number}.tfstate" for number in count(2)))
    new = next(name for name in names if not os.path.lexists(name))
    away = shell_line(["statetool", "join", other, "--into", new, "--create"])
    return Wording(
        f" To replace what it has, move that to a new file with `{away}`, and then everything from "
        f"{display_name(name)} into it with {join}",
        "",
    )


def _is_empty(state: LoadedState) -> bool:
    return not state.result.snapshot.resources and not state.result.snapshot.outputs


def _join_word(name: str) -> str | None:
    """Return the word for a state in `join`; None for standard input, or if naming it needs options."""
    if name == STANDARD_INPUT:
        return None
    if not isinstance(name, RemoteName):
        return name
    return {0: ".", 2: name.words[-1] if name.words else "."}.get(len(name.words))


def state_head(context: RunContext, name: str, content: bytes) -> StateHead:
    """Return serial and lineage of a stored state. Raises StateFileError, EncryptionError and StoreError."""
    # Imported late: it loads the cryptography package.
    from statefmt.encryption import parse_envelope

    with about(name):
        envelope = parse_envelope(content)
    if envelope is not None and envelope.serial is not None and envelope.lineage:
        return StateHead(envelope.serial, envelope.lineage, is_encrypted=True)
    # Some releases write neither: then the state must be decrypted.
    snapshot = loaded(context, name, content).result.snapshot
    return StateHead(snapshot.serial, snapshot.lineage, is_encrypted=envelope is not None)
