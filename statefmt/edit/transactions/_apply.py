"""Writes several states as one: locked together, verified, staged, journaled, written in order and read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TypeVar

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState
from statefmt.edit.transactions._contents import before_change, hash_before
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._journal import (
    ApplyJournal,
    JournaledState,
    JournaledWrite,
    JournalFolder,
    opened_journal,
)
from statefmt.edit.transactions._participants import Participant, refuse_one_under_two_names
from statefmt.edit.transactions._pins import Pin
from statefmt.edit.transactions._places import keep_places
from statefmt.edit.transactions._running import Running, ways_out
from statefmt.edit.transactions._staged import Staged, Staging
from statefmt.edit.transactions._writable import contents_after, contents_before, pieces_after
from statefmt.model.errors import StatetoolError, StoreError
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import LockedManagedStore, LockInfo
from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.remote.interruption import interruptible
from statefmt.store.remote.records import SETTING, is_kept
from statefmt.text import printable

R = TypeVar("R")


def applied(
    context: RunContext,
    states: Mapping[str, Participant],
    intent: Intent,
    staging: Staging[R],
    *,
    pins: Mapping[str, Pin] | None = None,
    agreed: Callable[[R], bool] = lambda _: True,
) -> Staged[R]:
    """Change several states as one; `states` are by their short names, in the order of their locks.

    Locks and reads all, verifies the `pins`, stages all results and, if `agreed`, writes them. If a write fails, takes
    back those before it. Signals wait while states are written. After a crash, or if taking back fails, too, the states
    stay held until the change has `ended`. Raises StatetoolError, with what was written, if anything was.
    """
    pins = pins or {}
    home = context.connection().state_home
    with interruptible() as interruption, opened_journal(home, intent.path) as folder:
        refuse_unfinished(folder, intent)
        with ExitStack() as quiet, ExitStack() as locks:
            context.phase("locking")
            infos = {name: intent.lock_info(context, one.store.name) for name, one in states.items()}
            locked: dict[str, LockedManagedStore] = {}
            for name, one in states.items():
                locked[name] = locks.enter_context(one.locked(infos[name], intent.timeout))
            context.phase("reading")
            contents = {name: one.stored.data for name, one in locked.items()}
            refuse_one_under_two_names(states, contents)
            before = before_change(context, states, intent.checksum, contents)
            for name, pin in pins.items():
                pin.refuse_other(before[name], locked[name].stored)
            context.phase("editing")
            staged = staging(before)
            journal = _journal(context, intent, states, before, infos, staged)
            results = journal.hashes(len(journal.writes))
            for name, pin in pins.items():
                pin.refuse_other_result(states[name].store.name, results[name])
            if not journal.writes or not agreed(staged.outcome):
                return staged
            writable = contents_before(before) | contents_after(before, staged.writes)
            running = Running(context, states, journal, locked, journal.hashes(0), writable, intent.keeps_backup)
            running.pieces = pieces_after(before, staged.writes)
            quiet.enter_context(interruption.deferred())
            if len(journal.writes) == 1:
                # One write is whole by itself.
                running.forward()
                locks.close()
            else:
                _written(running, folder, locks)
    for name in running.written:
        states[name].store.tidy()
    return staged


def refuse_unfinished(folder: JournalFolder, intent: Intent) -> None:
    """Raise StoreError if an earlier change by the same file has not ended."""
    if folder.read() is not None:
        raise unfinished(intent)


def unfinished(intent: Intent) -> StoreError:
    """Return the error for a change that has begun and not ended."""
    what = f"an earlier {intent.what} is unfinished"
    return StoreError(f"{printable(intent.file)}: {what}; nothing was written. {ways_out(intent.ending)}")


def end(running: Running, folder: JournalFolder, locks: ExitStack) -> None:
    """Let others in again, once all states have their contents. Raises StoreError."""
    folder.write(structs.replace(running.journal, is_done=True))
    running.release()
    locks.close()
    folder.remove()


def _journal(
    context: RunContext,
    intent: Intent,
    states: Mapping[str, Participant],
    before: Mapping[str, LoadedState],
    infos: Mapping[str, LockInfo],
    staged: Staged[R],
) -> ApplyJournal:
    """Return the journal, without writes that change nothing. Raises StoreError if a state would not be kept."""
    now = {name: hash_before(state) for name, state in before.items()}

    def journaled(name: str, one: Participant) -> JournaledState:
        state = before[name]
        empty = checksum(state.data) if state.is_new else ""
        stored, undoes = checksum(state.stored), intent.back_to.get(name)
        return JournaledState(one.location, one.identity, infos[name], now[name], stored, empty, undoes)

    known = {name: journaled(name, one) for name, one in states.items()}
    writes: list[JournaledWrite] = []
    for write in staged.writes:
        result = checksum(write.content)
        if result != now[write.state]:
            now[write.state] = result
            writes.append(JournaledWrite(write.state, result))
    if len(writes) > 1:
        remote = next((write.state for write in writes if states[write.state].is_remote), None)
        if remote is not None and not is_kept(context.environment.get(SETTING, "")):
            raise StoreError(
                f"{states[remote].location}: without its history, a change of several states can be neither finished "
                f"nor taken back after a crash; nothing was written. Set {SETTING}=on"
            )
    # The IDs of locks are new for each edit.
    number = next(iter(infos.values())).ID
    file = printable(intent.file if intent.key else intent.path)
    return ApplyJournal(number, file, intent.checksum, intent.command, known, writes, intent.ending, intent.undoes)


def _written(running: Running, folder: JournalFolder, locks: ExitStack) -> None:
    """Write several states behind a journal; take back what was written if that fails."""
    keep_places(running.context.connection().state_home, running.journal, running.states)
    try:
        folder.write(running.journal)
    except StoreError as error:
        raise StoreError(*error.parts, "; no state was written") from error
    ways = ways_out(running.journal.ending)
    try:
        running.hold()
        running.forward()
    except UnknownOutcomeError as error:
        raise StoreError(f"{error}. The states stay locked. {ways}") from error
    except StatetoolError as error:
        try:
            running.back_after_failure()
            end(running, folder, locks)
        except StatetoolError as second:
            raise StoreError(
                *error.parts, f". The other writes could not be taken back: {second}. The states stay locked. {ways}"
            ) from error
        raise StoreError(*error.parts, ". All other states are as they were before") from error
    except BaseException:
        running.context.note(f"{running.journal.file}: interrupted; the states stay locked. {ways}")
        raise
    try:
        end(running, folder, locks)
    except StatetoolError as error:
        raise StoreError(*error.parts, f". All states are written, but may stay locked. {ways}") from error
