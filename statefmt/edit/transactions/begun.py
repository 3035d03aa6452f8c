"""Finds the operations that a command made from the content of a state, to end them after a crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from statefmt.context import RunContext
from statefmt.edit.session import loaded
from statefmt.edit.stores import managed_store_at
from statefmt.edit.transactions._journal import opened_journal
from statefmt.edit.transactions.in_memory import encoded, key_of
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot
from statefmt.store.protocol import ManagedStore


def begun_text(context: RunContext, command: str, state: str, text_of: Callable[[Snapshot], str]) -> str:
    """Return the unfinished operations of a command that makes them from a state: of now, or before its last edit.

    If none have begun, returns those that it would make now. Raises StatetoolError.
    """
    store = managed_store_at(context, state)
    texts: list[str] = []
    refusal: SurgeryError | None = None
    for content in _last_contents(store):
        try:
            text = text_of(loaded(context, store.name, content).result.snapshot)
        except SurgeryError as error:
            refusal = error
            continue
        with opened_journal(context.connection().state_home, key_of(command, encoded(text))) as folder:
            if folder.read() is not None:
                return text
        texts.append(text)
    if refusal is not None and not texts:
        raise refusal
    return texts[0]


def _last_contents(store: ManagedStore) -> Iterator[bytes]:
    yield store.read().data
    for entry in store.versions()[-1:]:
        if not entry.creates:
            yield store.content(entry.before)
