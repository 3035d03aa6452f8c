"""Finds the available versions of a state: in git, in its service, in backups and in the history; and their changes.

Versions are in one order: by lineage, serial and time. Equal contents are one version with several origins.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from statefmt.analysis.life import Event, EventKind, Lives
from statefmt.analysis.selection import Criteria, select_in
from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, history_at, loaded, store_at
from statefmt.model.errors import SelectionError, StatetoolError, StoreError
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.files import path_of
from statefmt.store.git import BlobReader, GitPath, blob_ids, git_blobs, git_path, git_revisions, is_shallow, utc_time
from statefmt.store.local.history import backups
from statefmt.store.local.journal import checksum
from statefmt.store.local.state_file import linked_file
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name, read_bytes


class VersionSource(StrEnum):
    """Where a version was found. The first kinds know best who wrote it, and when."""

    EDIT = "edit"
    SERVICE = "service"
    GIT = "git"
    FILE = "file"
    BACKUP = "backup"


class VersionOrigin(Struct, frozen=True):
    """One place of a version.

    `place` is the number of statetool's edit that wrote it, the ID that the service gave it, the commit, or the path.
    `time` (UTC, RFC 3339) is that of the edit, the write to the service, the commit or the file; `who` and `message`
    are the user and the command of the edit, or the author and the subject of the commit. All three are "" if unknown.
    """

    kind: VersionSource
    place: str
    time: str
    who: str = ""
    message: str = ""

    @property
    def second(self) -> str:
        """The time without fractions of a second, to be compared as text; an unknown time is later than all others."""
        return self.time[: len("2026-01-31T12:00:00")] or "9999"


class StateVersion(Struct, frozen=True):
    """A version of a state, with its origins, the best one first; `is_current` if it is the state itself.

    `digest` tells its content from all others. `serial` and `lineage` are None and "" if the content does not say.
    """

    digest: str
    origins: tuple[VersionOrigin, ...]
    serial: int | None
    lineage: str
    is_current: bool
    content: Callable[[], bytes]

    @property
    def origin(self) -> VersionOrigin:
        """The origin that knows best who wrote the version, and when."""
        return self.origins[0]


class VersionChanges(Struct, frozen=True):
    """A version, and what changed since the one before it.

    `release` is the release that wrote it. `problem` says why it cannot be read. `missing` are the first and the last
    serial of the versions before it that are not available.
    """

    version: StateVersion
    release: str = ""
    events: tuple[Event, ...] = ()
    problem: str = ""
    missing: tuple[int, int] | None = None


class StateLog(Struct, frozen=True):
    """The changes of the versions of a state, oldest first, and remarks on what they cannot show.

    `last` is the content of the last version that can be read, and `lives` has the selected instances.
    """

    changes: tuple[VersionChanges, ...]
    notes: tuple[str, ...]
    last: Snapshot
    lives: Lives


@contextmanager
def state_versions(context: RunContext, name: str) -> Iterator[Sequence[StateVersion]]:
    """Yield the available versions of a state, oldest first; they are readable within the context.

    Raises StoreError.
    """
    if name == STANDARD_INPUT or isinstance(name, VersionName):
        raise StoreError(f"{display_name(name)}: only a file, a state in a backend or a path in git has versions")
    where = _in_git(context, name)
    with git_blobs(name, where.folder if where else "", context.environment) if where else _no_blobs() as blobs:
        found = [*_own(context, name), *(_git(context, name, where, blobs) if where else ())]
        yield _in_order(context, found)


class _Head(Struct):
    """What orders contents. An encrypted state has copies of these members."""

    serial: int
    lineage: str = ""


class _Found(Struct, frozen=True):
    origin: VersionOrigin
    content: Callable[[], bytes]
    is_current: bool = False
    # The ID of the blob in git, or the SHA-256 that the content must have.
    key: str = ""


@contextmanager
def _no_blobs() -> Iterator[BlobReader]:
    def read(blob: str) -> bytes:
        raise LookupError(blob)

    yield read


def _own(context: RunContext, name: str) -> Iterator[_Found]:
    """Yield the state, its backups, the contents in its history and the versions of its service."""
    if name.startswith(GIT):
        return
    if not isinstance(name, RemoteName):
        path = path_of(name)
        if not os.path.lexists(path):
            raise StoreError(f"{display_name(name)}: there is no such file")
        time = utc_time(path.stat().st_mtime)
        yield _Found(VersionOrigin(VersionSource.FILE, name, time), partial(context.read, name), is_current=True)
        for backup in backups(path):
            time = utc_time(backup.stat().st_mtime)
            yield _Found(VersionOrigin(VersionSource.BACKUP, str(backup), time), partial(read_bytes, str(backup)))
    else:
        yield from _of_service(context, name)
    history = history_at(context, name)
    entries = history.load().entries
    for number, entry in enumerate(entries):
        is_last = number + 1 == len(entries)
        if is_last or entries[number + 1].before == entry.after:
            # The last edit wrote the state, unless another program has changed it since.
            content = partial(context.read, name) if is_last else partial(history.content, entry.after)
            origin = VersionOrigin(VersionSource.EDIT, str(entry.number), entry.time, entry.user, entry.command)
            yield _Found(origin, content, key=entry.after)
        if (number == 0 or entries[number - 1].after != entry.before) and not entry.creates:
            origin = VersionOrigin(VersionSource.BACKUP, f"before edit {entry.number}", entry.time)
            yield _Found(origin, partial(history.content, entry.before))


def _of_service(context: RunContext, name: RemoteName) -> Iterator[_Found]:
    from statefmt.store.opening import NoVersionsError, kept_versions

    try:
        found = kept_versions(name, context.connection())
    except NoVersionsError:
        stored = store_at(context, name).read().data
        yield _Found(VersionOrigin(VersionSource.FILE, name, ""), lambda: stored, is_current=True)
        return
    for one in found:
        origin = VersionOrigin(VersionSource.SERVICE, one.id, one.time)
        yield _Found(origin, partial(context.read, VersionName(name, one.id)), one.is_current)


def _in_git(context: RunContext, name: str) -> GitPath | None:
    """Return the path of a state in the repository around it; None outside of one. Raises StoreError."""
    if isinstance(name, RemoteName):
        return None
    if name.startswith(GIT):
        where = git_path(name, context.environment)
        if where is None or not where.path:
            raise StoreError(f"{name}: write git:REVISION:PATH, for example git:HEAD:prod/terraform.tfstate")
        return where
    folder, file = os.path.split(linked_file(path_of(name)))
    # Most states are in no repository, and git may not be installed.
    if not any((place / ".git").exists() for place in (Path(folder).absolute(), *Path(folder).absolute().parents)):
        return None
    return GitPath("HEAD", f"./{file}", folder or ".")


def _git(context: RunContext, name: str, where: GitPath, blobs: BlobReader) -> Iterator[_Found]:
    try:
        found = git_revisions(name, where, context.environment)
    except StoreError as error:
        if name.startswith(GIT):
            raise
        context.note(f"{display_name(name)}: versions in git are not available: {error}")
        return
    if is_shallow(name, where.folder, context.environment):
        context.note(f"{display_name(name)}: this clone is shallow: earlier revisions in git are not available")
    for place, one in enumerate(found):
        origin = VersionOrigin(VersionSource.GIT, one.commit, one.time, one.author, one.subject)
        is_current = name.startswith(GIT) and place == len(found) - 1
        yield _Found(origin, partial(blobs, one.blob), is_current, key=one.blob)


_ORDER: Final = tuple(VersionSource)


def _in_order(context: RunContext, found: Sequence[_Found]) -> list[StateVersion]:
    """Read each content once, join equal ones, and sort them. Those in git are last."""
    known: dict[str, str] = {}
    versions: dict[str, StateVersion] = {}
    for number, one in enumerate(found):
        context.phase("reading versions", number, len(found), "versions")
        in_git = one.origin.kind is VersionSource.GIT
        # Git has computed a digest of its contents already.
        digest = known.get(one.key, one.key) if in_git else f"{one.origin.kind} {one.origin.place}"
        head: _Head | None = None
        if digest not in versions:
            try:
                content = one.content()
                if not in_git:
                    digest = checksum(content)
                    known.update(dict.fromkeys(blob_ids(content), digest))
                head = msgspec.json.decode(content, type=_Head)
            except (StoreError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                # It is listed with the error of reading it.
                pass
        if one.origin.kind is VersionSource.EDIT and one.key and one.key != digest:
            # Another program has changed the state since.
            continue
        former = versions.get(digest)
        if former is None:
            serial, lineage = (None, "") if head is None else (head.serial, head.lineage)
            versions[digest] = StateVersion(
                digest=digest,
                origins=(one.origin,),
                serial=serial,
                lineage=lineage,
                is_current=one.is_current,
                content=one.content,
            )
        else:
            origins = sorted([*former.origins, one.origin], key=lambda each: (_ORDER.index(each.kind), each.time))
            versions[digest] = replace(former, origins=tuple(origins), is_current=former.is_current or one.is_current)
    return _sorted(list(versions.values()))


def _sorted(versions: list[StateVersion]) -> list[StateVersion]:
    readable = [one for one in versions if one.serial is not None]
    begins: dict[str, str] = {}
    for one in readable:
        begins[one.lineage] = min(begins.get(one.lineage, one.origin.second), one.origin.second)
    readable.sort(key=lambda one: (begins[one.lineage], one.lineage, one.serial, one.origin.second))
    for one in sorted((one for one in versions if one.serial is None), key=lambda one: one.origin.second, reverse=True):
        later = (place for place, other in enumerate(readable) if other.origin.second > one.origin.second)
        readable.insert(next(later, len(readable)), one)
    return readable


def state_log(context: RunContext, name: str, versions: Sequence[StateVersion], criteria: Criteria) -> StateLog:
    """Compare each version with the one before it, reading one at a time.

    Raises SelectionError if no instance of any version meets the criteria, and StoreError if no version can be read.
    """
    lives = Lives(criteria)
    changes: list[VersionChanges] = []
    last: LoadedState | None = None
    first = 0
    previous: StateVersion | None = None
    for number, version in enumerate(versions):
        context.phase("comparing versions", number, len(versions), "versions")
        try:
            state = read_version(context, name, version, last)
        except StatetoolError as error:
            changes.append(VersionChanges(version, problem=error.on_command_line))
            continue
        snapshot = state.result.snapshot
        if last is None:
            lives.begin(snapshot)
            events: tuple[Event, ...] = ()
            first = len(changes)
        else:
            events = lives.follow(last.result.snapshot, snapshot)
        missing = None if previous is None else _gap(previous, version)
        changes.append(VersionChanges(version, snapshot.terraform_version, events, missing=missing))
        last, previous = state, version
    if not versions:
        raise StoreError(f"{display_name(name)}: no commit up to this revision has this file")
    if last is None:
        reasons = "".join(f"\n  {one.problem}" for one in changes)
        raise StoreError(f"{display_name(name)}: no version of this state can be read{reasons}")
    if not lives.chosen and criteria != Criteria():
        # It names the nearest addresses.
        select_in(last.result.snapshot, criteria)
        raise SelectionError(f"no resource instance {criteria} in any version")
    present = tuple(
        Event(EventKind.PRESENT, address, life=life)
        for life, address in lives.first.items()
        if life in lives.chosen and criteria != Criteria()
    )
    changes[first] = replace(changes[first], events=present)
    return StateLog(tuple(changes), tuple(_notes(changes)), last.result.snapshot, lives)


def read_version(context: RunContext, name: str, version: StateVersion, like: LoadedState | None = None) -> LoadedState:
    """Read a version, faster if it shares most resources with another. Raises StateError and StoreError."""
    origin = version.origin
    shown = f"{display_name(name)} ({origin.kind} {origin.place})"
    return loaded(context, shown, version.content(), like=None if like is None else like.result)


def _gap(before: StateVersion, now: StateVersion) -> tuple[int, int] | None:
    if before.lineage != now.lineage or before.serial is None or now.serial is None:
        return None
    return (before.serial + 1, now.serial - 1) if HIGHEST_SERIAL > now.serial > before.serial + 1 else None


def _notes(changes: Sequence[VersionChanges]) -> Iterator[str]:
    """Yield remarks on the order of the versions."""
    versions = [one.version for one in changes if not one.problem]
    for before, now in pairwise(versions):
        if before.lineage != now.lineage:
            yield f"the lineage changes at serial {now.serial}: the versions before it may be those of another state"
        elif before.serial == now.serial:
            yield f"two different versions have serial {now.serial}; they are compared in the order of their times"
    current = next((place for place, one in enumerate(versions) if one.is_current), None)
    if current is not None and current < len(versions) - 1:
        yield f"the state is at serial {versions[current].serial} again: later versions are no longer in effect"


def newest_backup(name: str) -> str:
    """Return the path of the newest backup beside a state file, by the times of the files. Raises StoreError."""
    _refuse_no_file(name, "only a file has backups beside it; compare a version with --version")
    found = backups(path_of(name))
    if not found:
        raise StoreError(f"{display_name(name)}: there are no backups beside it; `statetool log` lists its versions")
    return str(max(found, key=lambda path: (path.stat().st_mtime_ns, path.name)))


def version_in_head(context: RunContext, name: str) -> str:
    """Return the name of a state file in git's HEAD: `git:HEAD:PATH`. Raises StoreError outside of a repository."""
    _refuse_no_file(name, "only a file can be in git")
    where = _in_git(context, name)
    if where is None:
        raise StoreError(f"{display_name(name)}: this file is not in a git repository")
    return f"{GIT}HEAD:{os.path.abspath(linked_file(path_of(name)))}"  # noqa: PTH100 - the path may be missing


def _refuse_no_file(name: str, reason: str) -> None:
    if name == STANDARD_INPUT or name.startswith(GIT) or isinstance(name, (RemoteName, VersionName)):
        raise StoreError(f"{display_name(name)}: {reason}")
