"""Defines the states of a change, each with its store and its canonical name, and the journal of the change.

The journal records the intent, as hashes, from before the first write to the end. It is in
`$XDG_STATE_HOME/statetool/applies/NAME`, where NAME has the readable part of the operations file's name and a hash of
its path. It contains no content of states: the old contents are in the states and their histories, and the new contents
can be computed again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from statefmt.context import RunContext
from statefmt.edit.session import managed_store_at
from statefmt.model.errors import MissingStateError, StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.store.backends import RemoteName
from statefmt.store.backends.description import HIDDEN, without_credentials
from statefmt.store.files import InsideName
from statefmt.store.local.journal import checksum
from statefmt.store.local.state_file import StateFile, opened_folder, refuse_init_file
from statefmt.store.protocol import LockedManagedStore, LockInfo, ManagedStore, Stored
from statefmt.store.reading import display_name, explained, reason_of
from statefmt.text import pattern, printable

_JOURNAL_FORMAT: Final = "1.0"
_APPLIES: Final = "applies"
_JOURNAL: Final = "journal.json"
_LARGEST_JOURNAL: Final = 64 << 20
_UNSAFE: Final = pattern(r"[^A-Za-z0-9._]+")
_LONGEST_READABLE: Final = 80
_DIGITS: Final = 32


class JournaledState(Struct, frozen=True):
    """A state before the change: its location, as in a Participant, and its lock.

    `before` is the SHA-256 of its plain content, `stored` of its bytes, which differ if it is encrypted. If the change
    creates the state, both are hashes of no bytes; `empty` is the hash of the empty state that a revert leaves if the
    backend cannot delete it. `undoes` is the number of the first undone edit of this state.
    """

    location: str
    identity: str
    lock: LockInfo
    before: str
    stored: str
    empty: str = ""
    undoes: int | None = None

    @property
    def is_created(self) -> bool:
        """Whether the change creates the state."""
        return self.empty != ""


class JournaledWrite(Struct, frozen=True):
    """A write of a state: the SHA-256 of the new plain content."""

    state: str
    result: str


class ApplyJournal(Struct, frozen=True):
    """A running change of several states; `is_done` once all results have been read back.

    `id` is unique. `states` maps short names to states; `writes` are in order. The other fields are as in Intent.
    """

    id: str
    file: str
    checksum: str
    command: str
    states: Mapping[str, JournaledState]
    writes: Sequence[JournaledWrite]
    ending: tuple[str, ...]
    undoes: str = ""
    is_done: bool = False
    format_version: str = _JOURNAL_FORMAT

    def __post_init__(self) -> None:
        """Raise ValueError if a write is for an unknown state."""
        if not self.states.keys() >= {write.state for write in self.writes}:
            raise ValueError("a write is of a state that it does not have")

    def known(self, state: str) -> tuple[str, ...]:
        """Return the successive hashes of a state."""
        return (self.states[state].before, *(write.result for write in self.writes if write.state == state))

    def hashes(self, done: int) -> dict[str, str]:
        """Return the hash of each state after the first `done` writes."""
        return {name: state.before for name, state in self.states.items()} | {
            write.state: write.result for write in self.writes[:done]
        }


class _Version(Struct):
    format_version: str


@dataclass(frozen=True, slots=True)
class JournalFolder:
    """The folder of the journal of one operations file. Its lock keeps the file from being applied twice at a time."""

    place: StateFile

    @property
    def path(self) -> Path:
        """The path of the journal."""
        return self.place.path

    def read(self) -> ApplyJournal | None:
        """Return the journal; None if there is none. Raises StoreError if it is damaged."""
        with explained(self.path):
            try:
                data = self.place.folder.read(_JOURNAL, _LARGEST_JOURNAL)
            except FileNotFoundError:
                return None
        try:
            version = msgspec.json.decode(data, type=_Version).format_version
            if version != _JOURNAL_FORMAT:
                raise StoreError(
                    f"{self.path}: the journal has format {version!r}, from a newer statetool. Use that version; "
                    "nothing was written"
                )
            return msgspec.json.decode(data, type=ApplyJournal)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise StoreError(
                f"{self.path}: the journal is damaged ({error}); nothing was written. Compare the states with their "
                "histories. Then delete this file and the marker of each state, .NAME.statetool.hold beside it"
            ) from error

    def write(self, journal: ApplyJournal) -> None:
        """Write the journal durably, with mode 0600. Raises StoreError."""
        content = msgspec.json.format(msgspec.json.encode(journal), indent=2)
        with self._failing("write"):
            self.place.folder.sweep()
            self.place.folder.replace(_JOURNAL, content + b"\n")

    def remove(self) -> None:
        """Delete the journal durably. Raises StoreError."""
        with self._failing("delete"):
            if self.place.folder.remove(_JOURNAL):
                self.place.folder.sync()

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(f"{self.path}: cannot {what} the journal ({reason_of(error)})") from error


def has_journal(home: Path, file: str) -> bool:
    """Return whether an operations file, by its real path, has an unfinished change."""
    return os.path.lexists(home / _APPLIES / _folder_name(file) / _JOURNAL)


@contextmanager
def opened_journal(home: Path, file: str) -> Iterator[JournalFolder]:
    """Open the folder of the journal of an operations file, by its real path, and lock it; `home` is statetool's
    folder.

    Raises StoreError.
    """
    name = _folder_name(file)
    folder = home / _APPLIES / name
    with ExitStack() as opened:
        try:
            place = opened.enter_context(opened_folder(home.parent, (home.name, _APPLIES, name), _JOURNAL, file))
        except OSError as error:
            raise StoreError(
                f"{folder}: cannot keep the journal of {printable(file)} there ({reason_of(error)}); nothing was "
                "written. Name a folder that can be written in XDG_STATE_HOME"
            ) from error
        yield JournalFolder(place)


def _folder_name(file: str) -> str:
    readable = _UNSAFE.sub("-", Path(file).name).strip("-.")[:_LONGEST_READABLE]
    return f"{readable}-{checksum(os.fsencode(file))[:_DIGITS]}".removeprefix("-")


NO_STATE: Final = Stored(b"", None)


class Participant(NamedTuple):
    """A state that a change reads or writes: its store, and what identifies it.

    `location` is canonical: the real path, or the URL without credentials. `identity` is a hash of everything else that
    identifies it, such as the endpoint. `is_remote` if it is in a backend. `name` opens it again from any folder, with
    the `workspace` of a folder; "" if the name contains a secret. `words` name it in a command. `created_from` is set
    if the change creates the state: the short names of the states that its first objects come from. `in_file` if an
    operations file names the state, so that messages may give advice about the file. `create_option` is the
    command-line option that creates the state, if any.
    """

    store: ManagedStore
    location: str
    identity: str
    is_remote: bool = False
    name: str = ""
    workspace: str | None = None
    words: tuple[str, ...] = ()
    created_from: tuple[str, ...] | None = None
    in_file: bool = False
    create_option: str = ""

    @property
    def is_created(self) -> bool:
        """Whether the change creates the state; the state may exist if it is empty."""
        return self.created_from is not None

    def read(self) -> Stored:
        """Read the state without a lock; NO_STATE for a state to create that does not exist yet. Raises StoreError."""
        if self.is_created:
            return self.store.found() or NO_STATE
        try:
            return self.store.read()
        except MissingStateError as error:
            raise self._missing(error) from error

    @contextmanager
    def locked(self, info: LockInfo, timeout: float | None) -> Iterator[LockedManagedStore]:
        """Lock and read the state before a change begins. Raises StoreError."""
        with ExitStack() as stack:
            lock = self.store.locked_place if self.is_created else self.store.locked
            try:
                locked = stack.enter_context(lock(info, timeout))
            except StoreError as error:
                if isinstance(error, MissingStateError) or isinstance(error.__cause__, FileNotFoundError):
                    raise self._missing(error) from error
                raise
            yield locked

    def refuse_existing(self, snapshot: Snapshot) -> None:
        """Raise StoreError if the change creates the state, but a state with content exists."""
        if self.is_created and (snapshot.resources or snapshot.outputs or snapshot.check_results):
            hint = ". Remove create = true to change that state" if self.in_file else ""
            raise StoreError(f"{display_name(self.store.name)}: there is a state already; nothing was written{hint}")

    def _missing(self, error: StoreError) -> MissingStateError:
        """Return the error for a missing state, with advice."""
        in_block = ". To create the state, add create = true to its block" if self.in_file else ""
        hint = f". To create the state, use {self.create_option}" if self.create_option else in_block
        return MissingStateError(*error.parts, f"; nothing was written{hint}")


def participants(
    context: RunContext,
    names: Mapping[str, str],
    created: Mapping[str, Sequence[str]] | None = None,
    *,
    in_file: bool = False,
) -> dict[str, Participant]:
    """Return the states by their short names, in lock order; `names` are the names of their stores.

    `created` maps the states to create to the states that their first objects come from. Raises StoreError if two
    states are the same, or if a state cannot be written.
    """
    created = created or {}
    found = {
        short: participant(context, name, created.get(short))._replace(in_file=in_file) for short, name in names.items()
    }
    known: dict[tuple[object, ...], str] = {}
    for short, one in found.items():
        other = known.setdefault(_sameness(names[short], one), short)
        if other != short:
            which = f"the states {other} and {short} are the same; name it once"
            what = which if in_file else "two of the named states are this one; nothing was written"
            raise StoreError(f"{printable(one.store.name)}: {what}")
    _refuse_creations(name for short, name in names.items() if short in created)
    return dict(sorted(found.items(), key=lambda item: (item[1].location, item[1].identity)))


def refuse_one_under_two_names(states: Mapping[str, Participant], contents: Mapping[str, bytes]) -> None:
    """Raise StoreError if a state in a backend has the content of another state: emptying one might empty the other.

    A server may serve one of the named files, in another layout. Two file paths never mean the same file.
    """
    if not any(one.is_remote for one in states.values()):
        return
    known: dict[bytes, Participant] = {}
    # States in backends last: each is compared with all earlier states.
    for name, one in sorted(states.items(), key=lambda item: item[1].is_remote):
        if not contents[name]:
            continue
        other = known.setdefault(_meaning(contents[name]), one)
        if other is not one and one.is_remote:
            raise StoreError(
                f"{other.location} and {one.location} have the same content, so they may be one state under two names; "
                "nothing was written. If they are two states, give one of them another serial first"
            )


def _meaning(content: bytes) -> bytes:
    """Return equal bytes for contents that differ only in their layout."""
    try:
        return msgspec.json.encode(msgspec.json.decode(content), order="sorted")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return content


def _refuse_creations(names: Iterable[str]) -> None:
    """Raise StoreError if the locks of several new states exclude each other."""
    # While PostgreSQL creates a state, it locks the creation of all others in the database.
    alone = [name for name in names if isinstance(name, RemoteName) and name.place.type == "pg"]
    if len(alone) > 1:
        listed = ", ".join(printable(without_credentials(name)) for name in alone)
        raise StoreError(
            f"in PostgreSQL, only one state can be created at a time, and these are new: {listed}; nothing was "
            "written. Create one state in each change"
        )


def participant(context: RunContext, name: str, created: Sequence[str] | None = None) -> Participant:
    """Return a state by the name of its store; `created` is as in participants(). Raises StoreError."""
    if not isinstance(name, RemoteName):
        here = Path.cwd()
        # The short form for users.
        below = str(Path(name).relative_to(here)) if Path(name).is_relative_to(here) else name
        name = InsideName(below, name.place) if isinstance(name, InsideName) else below
        # Refused before another state is written.
        refuse_init_file(name, context.environment.get("TF_DATA_DIR", ""))
    store = managed_store_at(context, name, makes_folders=created is not None)
    sources = None if created is None else tuple(created)
    if isinstance(name, RemoteName):
        identity = name.place.identity.encode(errors="surrogateescape")
        location, hashed = without_credentials(name), checksum(identity)
        if name.folder is None:
            url = "" if HIDDEN in name.words[1] else name.words[1]
            return Participant(store, location, hashed, True, url, None, name.words, sources)
        folder, workspace = os.path.realpath(name.folder), name.place.workspace
        # Skip the words that name the folder and its workspace.
        further = name.words[4:] if name.words[2:3] == ("--workspace",) else name.words[2:]
        words = ("--state", folder, "--workspace", workspace, *further)
        again = folder if folder.isprintable() else ""
        return Participant(store, location, hashed, True, again, workspace, words, sources)
    path = os.path.realpath(name)
    again = path if path.isprintable() else ""
    words = ("--state", path)
    return Participant(store, printable(path), checksum(os.fsencode(path)), False, again, None, words, sources)


def _sameness(name: str, participant: Participant) -> tuple[object, ...]:
    if not isinstance(name, RemoteName):
        try:
            # Two hard links are the same file.
            status = os.stat(name)  # noqa: PTH116 - a name need not be a path
        except (OSError, ValueError):
            pass
        else:
            return (status.st_dev, status.st_ino)
    return (participant.identity,)


# Keeps the names of the states of a change, so that an undo can open them again. A history beside a state may come with
# its folder from a stranger, so it must not choose a host to contact or a program to run. The names are in
# `$XDG_STATE_HOME/statetool/changes/ID.json`, without possible secrets.

_FORMAT: Final = "1.0"
_CHANGES: Final = "changes"
_LABEL: Final = "changes of several states"
_ID: Final = pattern(r"[0-9A-Za-z-]{1,64}")
_SUFFIX: Final = ".json"
_LARGEST: Final = 1 << 24
# Histories keep 20 edits of each state by default.
_MOST: Final = 1000


class NamedPlace(Struct, frozen=True):
    """A state of a change: its `location` and `identity` as in Participant, and its name.

    `name` is a path, a folder or a URL; "" if it contains a secret. `workspace` is the workspace of a folder.
    """

    location: str
    identity: str
    name: str
    workspace: str | None = None


class _Change(Struct, frozen=True):
    states: tuple[NamedPlace, ...]
    format_version: str = _FORMAT


def keep_places(home: Path, journal: ApplyJournal, states: Mapping[str, Participant]) -> None:
    """Store the names of the states of a change durably; remove those of old changes. Raises StoreError."""
    places = tuple(NamedPlace(one.location, one.identity, one.name, one.workspace) for one in states.values())
    with _opened(home) as place:
        folder = place.folder
        folder.sweep()
        folder.replace(journal.id + _SUFFIX, msgspec.json.encode(_Change(places)) + b"\n")
        found = ((folder.status(name), name) for name in folder.names() if name.endswith(_SUFFIX))
        for _, name in sorted((status.st_mtime_ns, name) for status, name in found if status)[:-_MOST]:
            folder.remove(name)


def kept_places(home: Path, change: str) -> dict[str, NamedPlace] | None:
    """Return the states of a change by their locations; None if another machine made the change. Raises StoreError."""
    if _ID.fullmatch(change) is None or not (home / _CHANGES).is_dir():
        return None
    with _opened(home) as place:
        return _read(place, change)


def _read(place: StateFile, change: str) -> dict[str, NamedPlace] | None:
    """Return the states of a change by their locations; None if they are not stored. Raises StoreError."""
    try:
        data = place.folder.read(change + _SUFFIX, _LARGEST)
    except FileNotFoundError:
        return None
    try:
        found = msgspec.json.decode(data, type=_Change)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{place.folder.path / change}{_SUFFIX}: this record is damaged ({error})") from error
    if found.format_version != _FORMAT:
        return None
    return {one.location: one for one in found.states}


@contextmanager
def _opened(home: Path) -> Iterator[StateFile]:
    with explained(home / _CHANGES), opened_folder(home.parent, (home.name, _CHANGES), _CHANGES, _LABEL) as place:
        yield place
