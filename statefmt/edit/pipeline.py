"""The way of every edit: lock, read, operate, compare, check, back up, commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from statefmt.context import RunContext
from statefmt.edit.copies import Copy
from statefmt.edit.session import LoadedState, loaded, refuse_new_errors
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import StoreError
from statefmt.pieces import Pieces, joined, makes_the_same
from statefmt.store.durable import signals_held_back
from statefmt.store.protocol import LockedStore, Store, Stored
from statefmt.store.reading import display_name

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Terms:
    """How an edit is done, and on what conditions.

    `operation` is its name, and `command` what was typed, for the lock and the history. `copy` takes the result
    instead of the store. `timeout` is how many seconds to wait for the lock. With `serial` or `checksum` (SHA-256 in
    hexadecimal digits), the state must have these; `changed` is the message where the content differs.
    """

    operation: str
    command: str
    copy: Copy | None = None
    backup: str | None = None
    dry_run: bool = False
    lock: bool = True
    timeout: float = 0
    serial: int | None = None
    checksum: str | None = None
    changed: str = "the content is not what was expected: it was changed; nothing was done"

    @property
    def in_place(self) -> bool:
        """Whether the store is written."""
        return self.copy is None and not self.dry_run


@dataclass(frozen=True, slots=True)
class Proposal(Generic[R]):
    """What an operation makes of a state.

    `outcome` is what to show, and `pieces` make the new plain content of the old one. `stored` is the new content of
    the store, where the state is not to be kept as it was, plain or encrypted. With `check`, new errors are refused;
    what instances had before they `moved`, they may have where they went.
    """

    outcome: R
    pieces: Pieces
    stored: bytes | None = None
    check: bool = True
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)


Operation: TypeAlias = Callable[[LoadedState], Proposal[R]]


def edit(
    context: RunContext,
    store: Store,
    terms: Terms,
    operation: Operation[R],
    *,
    opening: Callable[[bytes], LoadedState] | None = None,
    agreed: Callable[[R], bool] = lambda _: True,
    written: Callable[[R, str | None], None] = lambda _outcome, _backup: None,
) -> R:
    """Do an operation on a state, and write the result unless it is a dry run or changes nothing.

    `opening` reads the state in the bytes of the store. `agreed` is asked before the store is written; nothing is
    written where it says no. `written` is called at once when something was, with the place of the backup. Raises
    StatetoolError, with everything as it was, where the state cannot be read or written, is locked, is not the one
    that was expected, where the operation refuses, and where it would add an error finding.
    """
    with _locked(context, store, terms) as locked:
        state = (opening or (lambda data: loaded(context, store.name, data)))(locked.stored.data)
        _refuse_unexpected(state, terms)
        proposal = operation(state)
        if proposal.check:
            refuse_new_errors(state, joined(state.data, proposal.pieces), proposal.moved)
        if terms.dry_run:
            return proposal.outcome
        new = _to_store(state, proposal)
        if terms.copy is not None:
            terms.copy.write(joined(locked.stored.data, new), lambda backup: written(proposal.outcome, backup))
        elif not makes_the_same(locked.stored.data, new) and agreed(proposal.outcome):
            # Else a signal that waited for the end of the write would come before the message.
            with signals_held_back():
                now = int(context.clock().timestamp())
                backup = locked.write(new, locked.stored.version, backup=terms.backup, now=now)
                written(proposal.outcome, backup)
    if terms.in_place:
        store.tidy()
    return proposal.outcome


@dataclass(frozen=True, slots=True)
class _Unlocked:
    """A state that is only read."""

    stored: Stored

    def write(self, *_: object, **__: object) -> str | None:
        raise AssertionError("a state that was not locked is not written")


def _locked(context: RunContext, store: Store, terms: Terms) -> AbstractContextManager[LockedStore]:
    if not terms.in_place:
        return nullcontext(_Unlocked(store.read()))
    info = context.lock_info(Path(store.name), terms.operation, terms.command)
    return store.locked(info, terms.timeout if terms.lock else None)


def _refuse_unexpected(state: LoadedState, terms: Terms) -> None:
    # Imported where it is needed: commands that only check start faster without it.
    from statefmt.store.local.journal import checksum

    name = display_name(state.name)
    serial = state.result.snapshot.serial
    if terms.serial not in (None, serial):
        raise StoreError(
            f"{name}: the serial is {serial} and not {terms.serial}: somebody changed it; nothing was done"
        )
    if terms.checksum and checksum(state.stored) != terms.checksum.lower():
        raise StoreError(f"{name}: {terms.changed}")


def _to_store(state: LoadedState, proposal: Proposal[R]) -> Pieces:
    """The pieces of the new content of the store. Those of an encrypted state are plain, and never get there."""
    if proposal.stored is not None:
        return [proposal.stored]
    if state.seal is None:
        return proposal.pieces
    return [state.to_store(joined(state.data, proposal.pieces))]
