"""Ends a change of several states that a crash or a failure interrupted: finishes it, or takes it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from enum import StrEnum
from typing import TypeVar

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, loaded
from statefmt.edit.transactions._apply import end
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._journal import ApplyJournal, JournalFolder, opened_journal
from statefmt.edit.transactions._participants import Participant
from statefmt.edit.transactions._running import Contents, Running, contents_after, contents_before, plain_hash, ways_out
from statefmt.edit.transactions._staged import Staging
from statefmt.model.errors import StatetoolError, StoreError
from statefmt.store.remote.interruption import interruptible
from statefmt.text.printable import printable

R = TypeVar("R")


class Ending(StrEnum):
    """What becomes of a change that was interrupted; LEAVE leaves each state as it is."""

    FINISH = "finish"
    TAKE_BACK = "take back"
    LEAVE = "leave"


def ended(
    context: RunContext, states: Mapping[str, Participant], intent: Intent, staging: Staging[R], ending: Ending
) -> tuple[str, ...]:
    """End a change of several states that was interrupted; return the names of the states that it writes.

    The arguments are those of `applied` when the change began. Compares each state with the contents that it may have,
    and writes only if it has one of them. The results are made again, from the contents before: those that states
    still have, and those in histories. To LEAVE the states, only lets others in again. Raises StoreError if there is no
    such change, if the file is another one by now, or if something else wrote; then nothing is written.
    """
    home = context.connection().state_home
    with interruptible() as interruption, opened_journal(home, intent) as folder:
        journal = folder.read()
        if journal is None:
            what = "apply of this file" if intent.file else "run of this command"
            raise StoreError(
                f"{intent.name}: there is no unfinished {what} on this machine: {folder.path} does not exist"
            )
        _refuse_other_file(journal, states, intent, ending)
        with ExitStack() as quiet, ExitStack() as locks:
            # The locks of a change that is half done must not be given back.
            quiet.enter_context(interruption.deferred())
            running = _locked(context, journal, states, intent, locks)
            foreign = _foreign(running, back=ending is Ending.TAKE_BACK)
            if ending is Ending.LEAVE or (foreign and journal.is_done):
                if foreign:
                    context.note(running.changed_by_others(foreign))
                end(running, folder, locks)
                return ()
            if foreign:
                raise StoreError(
                    f"{running.changed_by_others(foreign)}; nothing was written. "
                    f"{ways_out(journal.joint, foreign=True)}"
                )
            try:
                _carry_out(running, folder, staging, back=ending is Ending.TAKE_BACK)
                end(running, folder, locks)
            except StatetoolError as error:
                raise StoreError(*error.parts, f". The states stay locked. {ways_out(journal.joint)}") from error
    for name in running.written:
        running.states[name].store.tidy()
    return running.written


def _locked(
    context: RunContext, journal: ApplyJournal, states: Mapping[str, Participant], intent: Intent, locks: ExitStack
) -> Running:
    """Lock the states with the locks that the change took, which backends may still have, and read them."""
    context.phase("locking")
    states = {name: one for name, one in states.items() if name in journal.states}
    running = Running(context, states, journal, {}, {}, {}, intent.keeps_backup)
    for name, one in states.items():
        store = locks.enter_context(one.store.locked(journal.states[name].lock, intent.timeout))
        running.locked[name] = store.hold(journal.joint) if name in running.written else store
    context.phase("reading")
    running.now = {name: plain_hash(context, one, running.locked[name].stored.data) for name, one in states.items()}
    return running


def _foreign(running: Running, *, back: bool) -> list[str]:
    """Return the states that something else has written; states that the change only reads matter to finish it."""
    names = running.written if back else tuple(running.states)
    return [name for name in names if running.now[name] not in running.journal.known(name)]


def _carry_out(running: Running, folder: JournalFolder, staging: Staging[R], *, back: bool) -> None:
    if running.journal.is_done:
        running.journal = structs.replace(running.journal, is_done=False)
        folder.write(running.journal)
    running.done = _position(running.journal, running.now, back=back)
    running.contents = _contents(running, staging, back=back)
    if back:
        running.back()
    else:
        running.forward()


def _refuse_other_file(
    journal: ApplyJournal, states: Mapping[str, Participant], intent: Intent, ending: Ending
) -> None:
    """Raise StoreError if the file is another one than when the change began, or names other states."""
    if intent.checksum != journal.checksum and ending is Ending.FINISH:
        raise StoreError(
            f"{intent.name}: the file was changed since its apply began; nothing was written. Put the earlier content "
            f"back (SHA-256 {journal.checksum}), or take the apply back: `statetool apply --abort`"
        )
    for name, one in journal.states.items():
        if name not in states or states[name].identity != one.identity:
            raise StoreError(
                f"{intent.name}: the state {name} was {printable(one.location)} when the change began; nothing was "
                "written. Run the command in the same folder and environment, with the same file"
            )


def _position(journal: ApplyJournal, now: Mapping[str, str], *, back: bool) -> int:
    """Return how many writes have been made; all or none of them if somebody has put earlier contents back."""
    last = len(journal.writes)
    written = {write.state for write in journal.writes}
    found = [done for done in range(last + 1) if all(journal.hashes(done)[state] == now[state] for state in written)]
    return found[-1] if found else last if back else 0


def _contents(running: Running, staging: Staging[R], *, back: bool) -> Contents:
    """Return the contents that may be written, made from those before. Raises StatetoolError."""
    journal = running.journal
    if back:
        needed = {
            (journal.writes[number].state, journal.hashes(number)[journal.writes[number].state])
            for number in range(running.done)
        }
        before = _before(running, {state for state, _ in needed})
        contents = contents_before(before)
        if needed <= contents.keys():
            return contents
    elif running.done == len(journal.writes):
        return {}
    before = _before(running, journal.states)
    running.context.phase("editing")
    contents = contents_before(before) | contents_after(before, staging(before).writes)
    for write in journal.writes:
        if (write.state, write.result) not in contents:
            raise StoreError(
                f"{journal.name}: the operations have another result than when the change began, perhaps with "
                "another version of statetool; nothing was written. Use the version that began it"
            )
    return contents


def _before(running: Running, names: Iterable[str]) -> dict[str, LoadedState]:
    """Return states as they were before: as they are, or from their histories. Raises StatetoolError."""
    found: dict[str, LoadedState] = {}
    for name in names:
        one, state = running.states[name], running.journal.states[name]
        is_now = running.now[name] == state.before
        content = running.locked[name].stored.data if is_now else one.store.content(state.stored)
        found[name] = loaded(running.context, one.store.name, content)
    return found
