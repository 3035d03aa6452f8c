"""Loads the states of a change as they are before it; one that it creates begins as an empty state.

The lineage of a new state is made from what the change is and begins with, so that it is the same in a plan, in an
apply and when that is finished after a crash.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Final
from uuid import UUID

import msgspec
from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, loaded, loaded_plain
from statefmt.edit.transactions._participants import Participant
from statefmt.formats.writing.canonical import canonical
from statefmt.model.errors import StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.sealed import Seal
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import NOTHING
from statefmt.store.reading import display_name

# A UUID that is made from a name.
_VERSION: Final = 5


def before_change(
    context: RunContext, states: Mapping[str, Participant], change: str, contents: Mapping[str, bytes]
) -> dict[str, LoadedState]:
    """Return all states of a change before it; `contents` are their bytes, and `change` is the hash of the operations.

    Raises StatetoolError if a state cannot be read, if there is none, or if one that the change creates has something.
    """
    found = {
        name: loaded(context, one.store.name, contents[name])
        for name, one in states.items()
        if contents[name] or not one.is_created
    }
    if not found:
        one = next(iter(states.values()))
        raise StoreError(f"{display_name(one.store.name)}: no other state is named that its objects could come from")
    for name, state in found.items():
        states[name].refuse_existing(state.result.snapshot)
    hashes = {name: hash_before(state) for name, state in found.items()}

    def begun(name: str, one: Participant) -> LoadedState:
        return found.get(name) or _begun(one, found, _lineage(change, name, hashes))

    return {name: begun(name, one) for name, one in states.items()}


def hash_before(state: LoadedState) -> str:
    """Return the SHA-256 of the plain content before the change; a state that does not exist yet is empty."""
    return NOTHING if state.is_new else checksum(state.data)


def emptied(state: LoadedState) -> bytes:
    """Return a state that was created without what came there, for where it cannot be deleted: as it began."""
    now = state.result.snapshot
    return canonical(Snapshot(terraform_version=now.terraform_version, lineage=now.lineage), state.result.style)


def _begun(one: Participant, found: Mapping[str, LoadedState], lineage: str) -> LoadedState:
    """Return an empty state that takes after the first of those that its objects come from.

    It is encrypted if one of them is.
    """
    sources = [found[name] for name in one.created_from or ()] or list(found.values())
    first = sources[0].result
    content = canonical(Snapshot(terraform_version=first.snapshot.terraform_version, lineage=lineage), first.style)
    sealed = next((state.seal for state in sources if state.seal is not None), None)
    seal = None if sealed is None else Seal(b"", replace(sealed.opened, plain=b""), sealed.configuration)
    return structs.replace(loaded_plain(one.store.name, content, seal=seal), is_new=True)


def _lineage(change: str, name: str, hashes: Mapping[str, str]) -> str:
    text = msgspec.json.encode([change, name, sorted(hashes.items())])
    return str(UUID(bytes=sha256(text).digest()[:16], version=_VERSION))
