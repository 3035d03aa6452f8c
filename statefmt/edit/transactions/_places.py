"""Keeps how the states of a change were named, so that they can be opened again to undo it.

A history beside a state may come with its folder, from anybody, so it must not decide which host is asked or which
program runs. The names are in `$XDG_STATE_HOME/statetool/changes/ID.json`, without anything that may be secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.edit.transactions._journal import ApplyJournal
from statefmt.edit.transactions._participants import Participant
from statefmt.model.errors import StoreError
from statefmt.store.local.private_dir import opened_folder
from statefmt.store.local.state_file import StateFile
from statefmt.store.reading import explained
from statefmt.text import pattern

_FORMAT: Final = "1.0"
_CHANGES: Final = "changes"
_LABEL: Final = "changes of several states"
_ID: Final = pattern(r"[0-9A-Za-z-]{1,64}")
_SUFFIX: Final = ".json"
_LARGEST: Final = 1 << 24
# Histories keep 20 edits of each state by default.
_MOST: Final = 1000


class NamedPlace(Struct, frozen=True):
    """A state of a change: its `location` and `identity` as a Participant has them, and how it is named again.

    `name` is a path, a folder or a URL; "" if it has something secret. `workspace` is that of a folder.
    """

    location: str
    identity: str
    name: str
    workspace: str | None = None


class _Change(Struct, frozen=True):
    states: tuple[NamedPlace, ...]
    format_version: str = _FORMAT


def keep_places(home: Path, journal: ApplyJournal, states: Mapping[str, Participant]) -> None:
    """Keep the names of the states of a change durably; forget those of old changes. Raises StoreError."""
    places = tuple(NamedPlace(one.location, one.identity, one.name, one.workspace) for one in states.values())
    with _opened(home) as place:
        folder = place.folder
        folder.sweep()
        folder.replace(journal.id + _SUFFIX, msgspec.json.encode(_Change(places)) + b"\n")
        found = ((folder.status(name), name) for name in folder.names() if name.endswith(_SUFFIX))
        for _, name in sorted((status.st_mtime_ns, name) for status, name in found if status)[:-_MOST]:
            folder.remove(name)


def kept_places(home: Path, change: str) -> dict[str, NamedPlace] | None:
    """Return the states of a change by their locations; None if this machine has not made it. Raises StoreError."""
    if _ID.fullmatch(change) is None or not (home / _CHANGES).is_dir():
        return None
    with _opened(home) as place:
        return _read(place, change)


def _read(place: StateFile, change: str) -> dict[str, NamedPlace] | None:
    """Return the states of a change by their locations, None if they are not kept. Raises StoreError."""
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
