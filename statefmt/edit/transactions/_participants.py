"""Names the states that are changed together: each with its store and its canonical name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.edit.stores import managed_store_at
from statefmt.model.errors import StoreError
from statefmt.store.backends.remote_name import RemoteName
from statefmt.store.backends.shown import HIDDEN, without_credentials
from statefmt.store.local.journal import checksum
from statefmt.store.managed import ManagedStore
from statefmt.text.printable import printable


class Participant(NamedTuple):
    """A state: its store, and what tells it from all others.

    `location` is the same for all names of a state: the real path, or the URL without credentials. `identity` is the
    hash of what else tells it from others, such as the endpoint. `is_remote` if it is in a backend. `name` opens it
    again from any folder, with the `workspace` of a folder; "" if only its user can name it, since it has a secret.
    `words` name it in a command.
    """

    store: ManagedStore
    location: str
    identity: str
    is_remote: bool = False
    name: str = ""
    workspace: str | None = None
    words: tuple[str, ...] = ()


def participants(context: RunContext, names: Mapping[str, str]) -> dict[str, Participant]:
    """Return the states by their short names, in the order in which they are locked; `names` are those of their stores.

    Raises StoreError if two of them are the same state, or if one can be no state that is written.
    """
    found = {short: participant(context, name) for short, name in names.items()}
    known: dict[tuple[object, ...], str] = {}
    for short, one in found.items():
        other = known.setdefault(_sameness(names[short], one), short)
        if other != short:
            raise StoreError(f"{printable(one.store.name)}: the states {other} and {short} are the same; name it once")
    return dict(sorted(found.items(), key=lambda item: (item[1].location, item[1].identity)))


def participant(context: RunContext, name: str) -> Participant:
    """Return a state, by the name of its store. Raises StoreError."""
    store = managed_store_at(context, name)
    if isinstance(name, RemoteName):
        identity = name.place.identity.encode(errors="surrogateescape")
        location, hashed = without_credentials(name), checksum(identity)
        if name.folder is None:
            url = name.words[1]
            again = "" if HIDDEN in url else url
            return Participant(store, location, hashed, True, again, None, name.words)
        folder = os.path.realpath(name.folder)
        workspace = name.place.workspace
        words = ("--state", folder, "--workspace", workspace, *_further(name.words))
        return Participant(store, location, hashed, True, folder if folder.isprintable() else "", workspace, words)
    path = os.path.realpath(name)
    again = path if path.isprintable() else ""
    return Participant(store, printable(path), checksum(os.fsencode(path)), name=again, words=("--state", path))


def _further(words: Sequence[str]) -> Sequence[str]:
    """Return the words after those that name a folder and its workspace."""
    return words[4:] if words[2:3] == ("--workspace",) else words[2:]


def _sameness(name: str, participant: Participant) -> tuple[object, ...]:
    if not isinstance(name, RemoteName):
        try:
            # Two hard links are one file.
            status = os.stat(name)  # noqa: PTH116 - a name need not be a path
        except (OSError, ValueError):
            pass
        else:
            return (status.st_dev, status.st_ino)
    return (participant.identity,)
