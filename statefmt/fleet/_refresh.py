"""Makes and refreshes an index: lists the sources, reads changed states, and removes missing ones."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.fleet._database import KnownState, opened
from statefmt.fleet._resource_rows import state_id_of
from statefmt.fleet._rows import StateLimits, StateOrigin, StateRows, Wanted, read_rows
from statefmt.fleet._work import Cluster, Spread, Task, chunks, in_process, in_processes
from statefmt.fleet.connection import made_by
from statefmt.fleet.tables import FleetError
from statefmt.model.errors import RemoteStateError, StoreError
from statefmt.processes import processor_count
from statefmt.store.backends import RemoteName
from statefmt.store.backends.description import DEFAULT_WORKSPACE, WORKSPACES_FOLDER, without_credentials
from statefmt.store.backends.options import BackendOptions, allowed_paths
from statefmt.store.backends.settings import StatePlace
from statefmt.store.backends.types import SUPPORTED
from statefmt.store.git import git_path, git_reason, repository_top, run_git
from statefmt.store.opening import open_client
from statefmt.store.reading import GIT, STANDARD_INPUT, find_states, is_folder
from statefmt.store.remote.client import ListedState, ListingClient, StateClient
from statefmt.whereabouts import folder_name, several_at_url, url_name
from statefmt.whereabouts.find import find_backend, located, unsupported
from statefmt.whereabouts.urls import url_without_values


class IndexOptions(NamedTuple):
    """Options of a run: whether to store findings of the rules, attributes and output values; and the readers of
    states.

    `workers` is the number of processes, None for at most one per processor. With a `cluster`, its workers read the
    states. `max_size`, such as `20MiB`, and `timeout` in seconds limit each state; the defaults are STATETOOL_MAX_SIZE
    and STATETOOL_TIMEOUT.
    """

    checks: bool = True
    attributes: bool = False
    workers: int | None = None
    cluster: Cluster | None = None
    max_size: str | None = None
    timeout: float | None = None


class IndexRun(NamedTuple):
    """The result of a run: its number, and the states in the sources, read again, removed and failed.

    `failed` has the URI and the reason of each failed state, including earlier failures. `missing` has the sources that
    could not be listed, with reasons; their states stay in the index. `deaths` is the number of dead workers, whose
    states were read again.
    """

    run_id: int
    states: int
    read: int
    removed: int
    failed: Sequence[tuple[str, str]]
    missing: Sequence[str]
    deaths: int = 0


def index_states(context: RunContext, sources: Sequence[str], into: Path, options: IndexOptions) -> IndexRun:
    """Index the states of some sources in a DuckDB file, or refresh the index.

    Args:
        context: The run: its environment, encryption and progress.
        sources: Files, folders, globs, `git:REVISION:FOLDER`, and URLs of states in backends.
        into: The database. It is created if it does not exist.
        options: How to index.

    Each batch is one transaction, so that a killed run leaves a consistent index, and the next run continues. Raises
    FleetError if the database cannot be used.
    """
    if options.cluster is not None:
        options.cluster.check()
    made = made_by(checks=options.checks, attributes=options.attributes)
    with opened(into) as database:
        known, key = database.known(), database.key()
    listing = listed(context, sources, known, made)
    tasks, found = listing.due, list(listing.found)
    work = chunks(tasks)
    spread = _spread(context, options, Wanted(key, options.attributes), len(work))
    # Forks before the database is open: DuckDB starts threads.
    with spread(work) as results, opened(into) as database:
        if database.key() != key:
            raise FleetError(f"{into}: another process has replaced this index; index again")
        # Another run may have added states since.
        known = database.known()
        run_id = database.begin_run(_now(context), made, checks=options.checks)
        done_count = deaths = 0
        by_id = {task.origin.state_id: task for task in tasks}
        context.phase("indexing", 0, len(tasks), "states")
        for done in results:
            deaths += done.deaths
            if done.state_ids:
                due = [by_id[state_id] for state_id in done.state_ids]
                database.add(due, [one for one in done.state_ids if one in known], done, run_id)
            done_count += len(done.state_ids)
            context.phase("indexing", done_count, len(tasks), "states")
        database.flush()
        gone = [
            state_id for state_id, one in known.items() if one.source in listing.whole and state_id not in listing.found
        ]
        database.end_run(run_id, _now(context), gone, found, done_count)
        failed = database.failed(found)
        return IndexRun(
            run_id=run_id,
            states=len(found),
            read=done_count,
            removed=len(gone),
            failed=failed,
            missing=listing.missing,
            deaths=deaths,
        )


def _now(context: RunContext) -> str:
    return context.clock().astimezone(UTC).replace(tzinfo=None).isoformat()


def _spread(context: RunContext, options: IndexOptions, wanted: Wanted, work: int) -> Spread:
    limits = StateLimits.of(context.environment, options.max_size, options.timeout)
    quiet = replace(context, progress=None)

    def read(task: Task) -> StateRows:
        return read_rows(quiet, task.name, task.origin, wanted, checks=options.checks, limits=limits, size=task.size)

    if options.cluster is not None and work:
        from statefmt.fleet._dask import on_cluster

        return partial(on_cluster, context, options.cluster, wanted, options.checks, limits, read)
    if not sys.platform.startswith("linux"):
        return partial(in_process, read)
    count = processor_count() if options.workers is None else options.workers
    # A separate process even for one worker: only there can a state be interrupted.
    return partial(in_processes, min(count, work), read, limits.seconds) if work else partial(in_process, read)


# The number of states between progress reports.
_REPORTED: Final = 1000


class FleetListing(NamedTuple):
    """The states of the sources: their ids with their identities, the states to read, and the completely listed
    sources.

    `missing` has the reasons for the other sources.
    """

    found: dict[str, str]
    due: list[Task]
    whole: set[str]
    missing: list[str]


def listed(context: RunContext, sources: Sequence[str], known: Mapping[str, KnownState], made: str) -> FleetListing:
    """List the sources. A state is due if its version is unknown, or its rows depend on other options.

    `known` are the states of the index, and `made` identifies the release and the options of its rows. Raises
    FleetError for standard input.
    """
    listing = FleetListing({}, [], set(), [])
    for source in sources:
        if source == STANDARD_INPUT:
            raise FleetError("an index is not made of standard input: name files, folders or URLs")
        where = ""
        try:
            for state in found_states(context, source):
                where = state.source
                _add(listing, state, known, made)
                if len(listing.found) % _REPORTED == 0:
                    context.phase("listing", len(listing.found), unit="states")
        except StoreError as error:
            listing.missing.append(error.on_command_line)
        else:
            listing.whole.add(where)
    return listing


def _add(listing: FleetListing, state: SourceState, known: Mapping[str, KnownState], made: str) -> None:
    state_id = state_id_of(state.uri)
    if state_id in listing.found:
        # A different region is not a difference: a bucket has one region.
        if _apart(listing.found[state_id]) != _apart(state.identity):
            listing.missing.append(
                f"{state.uri}: another state has the same location, at another endpoint or with another query; "
                "make an index of its own for it"
            )
        return
    listing.found[state_id] = state.identity
    one = known.get(state_id)
    if one is None or one.failed or one.made_by != made or state.version is None or state.version != one.version:
        origin = StateOrigin(state_id, state.uri, state.source, state.workspace, state.version, made)
        listing.due.append(Task(state.name, origin, state.size))


def _apart(identity: str) -> str:
    """Return the part that `StatePlace.identity` adds to the location."""
    return identity.partition("\n")[2]


class SourceState(NamedTuple):
    """A state of a source: its name for reading, its place, and its version, which is known without reading it.

    `source` does not depend on the directory, and contains no secrets. `version` is None if it is unknown without
    reading. `identity` may contain a secret: states with the same `uri` but different identities are different.
    """

    name: str
    uri: str
    source: str
    workspace: str | None
    version: str | None
    size: int
    identity: str = ""


def found_states(context: RunContext, source: str) -> Iterator[SourceState]:
    """Yield the states of a source. Raises StoreError if it cannot be listed or has none, also after some states."""
    is_empty = True
    for state in _states(context, source):
        is_empty = False
        yield state
    if is_empty:
        raise StoreError(f"{source}: no state (*.tfstate) here or below")


def _states(context: RunContext, source: str) -> Iterator[SourceState]:
    if source.startswith(GIT):
        where, states = states_in_git(source, context.environment)
        for name, blob, size in states:
            yield SourceState(name, _text(name), _text(where), None, blob, size)
    elif "://" in source:
        # URLs of other schemes cannot contain secrets.
        shown = url_without_values(source) if source[:4].lower() == "http" else source
        yield from _remote(states_at_url(context, source), shown)
    elif is_folder(source):
        yield from _folder(context, source)
    elif glob.has_magic(source) and not os.path.lexists(source):
        yield from _files(find_states([source], allowed=allowed_paths(context.backend, context.environment)), source)
    elif os.path.lexists(source):
        yield _file(source, _text(os.path.abspath(source)))  # noqa: PTH100
    else:
        # Otherwise it would be an unreadable state, and the states of an unmounted folder would be removed.
        raise StoreError(f"{source}: there is no such file or folder")


def _folder(context: RunContext, folder: str) -> Iterator[SourceState]:
    problem: StoreError | None = None
    try:
        files = find_states([folder], allowed=allowed_paths(context.backend, context.environment))
    except StoreError as error:
        files, problem = [], error
    yield from _files(files, folder)
    try:
        for state in _remote(states_of_folder(context, Path(folder)), _text(os.path.abspath(folder))):  # noqa: PTH100
            problem = None
            yield state
    except RemoteStateError as error:
        if not files:
            raise
        context.note(f"{error.on_command_line}; only the files below are used")
    if problem is not None:
        raise problem


def _remote(states: Iterable[tuple[RemoteName, ListedState | None]], source: str) -> Iterator[SourceState]:
    for name, listed in states:
        version, size = (None, 0) if listed is None else (listed.version, listed.size)
        yield SourceState(name, str(name), source, name.place.workspace, version, size, name.place.identity)


def _files(names: Iterable[str], source: str) -> Iterator[SourceState]:
    where = _text(os.path.abspath(source))  # noqa: PTH100 - globs are no paths
    return (_file(name, where) for name in names)


def _file(name: str, source: str) -> SourceState:
    path = Path(os.path.abspath(name))  # noqa: PTH100 - Path.resolve follows links, and the name is what users know
    uri = _text(str(path))
    above = path.parent.parent.name
    workspace = path.parent.name if above == WORKSPACES_FOLDER else DEFAULT_WORKSPACE
    try:
        status = path.stat()
    except OSError:
        # Reading it reports the reason.
        return SourceState(name, uri, source, workspace, None, 0)
    version = f"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}"
    return SourceState(name, uri, source, workspace, version, status.st_size)


def _text(path: str) -> str:
    """Return a path as valid Unicode, for the database."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def states_at_url(context: RunContext, url: str) -> Iterator[tuple[RemoteName, ListedState | None]]:
    """Yield the states at a URL: one, or all below it. Raises StoreError."""
    several = several_at_url(url, context.environment, context.backend)
    if several is None:
        one = url_name(url, context.environment, context.backend)
        if one is None:
            raise StoreError(f"{without_credentials(url)}: the scheme of this URL is not that of a backend")
        yield one, None
        return
    with _client(context, several.place) as client:
        assert isinstance(client, ListingClient)
        for found in client.states_below(several.prefix):
            yield several.named(found.place, context.backend), found


def states_of_folder(context: RunContext, folder: Path) -> Iterator[tuple[RemoteName, ListedState | None]]:
    """Yield the states of all workspaces of the backend of a folder, none if it has no backend.

    Omits the files of the backend `local`. Raises StoreError, and RemoteStateError for a backend that is not supported.
    """
    found = find_backend(folder, context.environment, context.backend)
    if found.type == "local":
        return
    if found.type not in SUPPORTED:
        raise unsupported(found)
    state = located(found, context.environment)
    with _client(context, state.place) as client:
        if not isinstance(client, ListingClient):
            yield folder_name(state, context.backend), None
            return
        for one in client.workspace_states():
            workspace = structs.replace(found.workspace, name=one.place.workspace)
            named = structs.replace(
                state,
                backend=structs.replace(found, workspace=workspace),
                location=one.place.location,
                exact=one.place.exact,
            )
            options = structs.replace(context.backend or BackendOptions(), workspace=one.place.workspace)
            yield folder_name(named, options), one


@contextmanager
def _client(context: RunContext, place: StatePlace) -> Iterator[StateClient]:
    client = open_client(place, replace(context, progress=None).connection())
    try:
        yield client
    finally:
        client.close()


_SUFFIX: Final = b".tfstate"


class GitState(NamedTuple):
    """A state in a revision: its name, with the absolute path of its repository, and the ID of its blob."""

    name: str
    blob: str
    size: int


def states_in_git(source: str, environment: Mapping[str, str]) -> tuple[str, Iterator[GitState]]:
    """Return `git:REVISION:FOLDER` with an absolute folder, and the states in it; FOLDER may also be one file.

    An empty FOLDER means the whole repository. Raises StoreError if git is not installed, or does not know the
    revision.
    """
    found = git_path(source, environment)
    if found is None or not found.revision:
        raise StoreError(f"{source}: write states in git as git:REVISION:FOLDER, for example git:main:prod")
    top = repository_top(found.folder or ".", source, environment)
    folder = found.path.rstrip("/")
    if folder in (".", "..") or folder.startswith(("./", "../")):
        raise StoreError(f"{source}: write the folder relative to the top of the repository, or as an absolute path")
    start = f"{GIT}{found.revision}:{top}"
    arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", found.revision, "--", *([folder] if folder else [])]
    done = run_git(source, arguments, {**environment, "GIT_LITERAL_PATHSPECS": "1"}, found.folder)
    if done.returncode != 0:
        raise StoreError(f"{source}: {git_reason(done)}")
    return f"{start}/{folder}" if folder else start, _git_states(done.stdout, start, folder)


def _git_states(listing: bytes, start: str, folder: str) -> Iterator[GitState]:
    for line in filter(None, listing.split(b"\0")):
        about, _, path = line.partition(b"\t")
        name = path.decode("utf-8", "surrogateescape")
        _, kind, blob, size = about.split()
        if kind == b"blob" and (path.endswith(_SUFFIX) or name == folder):
            yield GitState(f"{start}/{name}", blob.decode(), int(size) if size.isdigit() else 0)
