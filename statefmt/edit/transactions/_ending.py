"""Finishes or reverts an interrupted change of several states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec import structs

from statefmt.analysis.diff import scattered
from statefmt.context import RunContext
from statefmt.edit.changes import Ending
from statefmt.edit.operations_file import created_states
from statefmt.edit.operations_file.model import OperationsFile
from statefmt.edit.session import LoadedState, loaded
from statefmt.edit.transactions import (
    Contents,
    Running,
    applied,
    contents_after,
    contents_before,
    elsewhere,
    end,
    joint_edit,
    scattered_lines,
    unfinished,
    ways_out,
)
from statefmt.edit.transactions._participants import (
    ApplyJournal,
    JournalFolder,
    Participant,
    has_journal,
    opened_journal,
    participants,
)
from statefmt.edit.transactions.plan import Intent, Pin, Staged, Staging, before_change
from statefmt.edit.transactions.staging import NO_REFERENCES, Agreed, FileOutcome, References, staging, state_names
from statefmt.model.errors import SettingsError, StatetoolError, StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.store.local.locks import ending_command
from statefmt.store.protocol import NOTHING, Stored
from statefmt.store.reading import display_name
from statefmt.store.remote.interruption import interruptible
from statefmt.text import printable

R = TypeVar("R")


def ended(
    context: RunContext, states: Mapping[str, Participant], intent: Intent, staging: Staging[R], ending: Ending
) -> tuple[str, ...]:
    """End an interrupted change of several states; return the names of the states that it writes.

    Takes the original arguments of `applied`. Writes only if each state has one of its expected contents. Computes the
    results again from the contents before the change, in states and histories. LEAVE only ends the hold. Raises
    StoreError, and writes nothing, if there is no such change, if the file has changed, or if another program wrote a
    state.
    """
    if intent.options.dry_run:
        raise StoreError("the end of an interrupted change has no dry run; nothing was written")
    home = context.connection().state_home
    with interruptible() as interruption, opened_journal(home, intent.path) as folder:
        journal = folder.read()
        if journal is None:
            raise StoreError(
                f"{printable(intent.file)}: there is no unfinished {intent.what} on this machine: {folder.path} "
                f"does not exist{_begun_elsewhere(states)}"
            )
        _refuse_other_file(journal, states, intent, ending)
        with ExitStack() as quiet, ExitStack() as locks:
            # An unfinished change must keep its locks.
            quiet.enter_context(interruption.deferred())
            running = _locked(context, journal, states, intent, locks, leaves=ending is Ending.LEAVE)
            # States that the change only reads are needed to finish it.
            concerned = running.written if ending is Ending.TAKE_BACK else tuple(running.states)
            foreign = [name for name in concerned if running.now[name] not in journal.known(name)]
            if ending is Ending.LEAVE or (foreign and journal.is_done):
                if foreign:
                    context.note(running.changed_by_others(foreign))
                if ending is Ending.LEAVE and (lines := _scattered(running)):
                    context.note("\n".join(["what --leave leaves:", *lines]))
                end(running, folder, locks)
                return ()
            if foreign:
                ways = ways_out(journal.ending, foreign=True, scattered=_scattered(running))
                raise StoreError(f"{running.changed_by_others(foreign)}; nothing was written. {ways}")
            try:
                _carry_out(running, folder, staging, back=ending is Ending.TAKE_BACK)
                end(running, folder, locks)
            except StatetoolError as error:
                raise StoreError(*error.parts, f". The states stay locked. {ways_out(journal.ending)}") from error
    for name in running.written:
        running.states[name].store.tidy()
    return running.written


def _locked(
    context: RunContext,
    journal: ApplyJournal,
    states: Mapping[str, Participant],
    intent: Intent,
    locks: ExitStack,
    *,
    leaves: bool,
) -> Running:
    """Lock the states with the original locks of the change, which backends may still hold, and read them.

    States whose folders are missing cannot be locked; they are skipped if the change `leaves` all states unchanged.
    """
    context.phase("locking")
    states = {name: one for name, one in states.items() if name in journal.states}
    found = dict(states)
    running = Running(context, found, journal, {}, {}, {}, intent.options.keep_backup)
    for name, one in states.items():
        try:
            store = locks.enter_context(
                one.store.locked_place(journal.states[name].lock, intent.options.timeout, ends_hold=True)
            )
        except StoreError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            if not leaves:
                raise StoreError(*error.parts, f". {ways_out(journal.ending, foreign=True)}") from error
            context.note(f"{error}. Its folder was deleted since the change began")
            del found[name]
            continue
        running.locked[name] = store.hold(joint_edit(context, journal, states)) if name in running.written else store
    context.phase("reading")
    running.now = {name: running.hash_now(name) for name in found}
    return running


def _begun_elsewhere(states: Mapping[str, Participant]) -> str:
    """Describe the marker of a file for a change whose journal is in another folder; "" if there is none."""
    found = (one.store.lock_state() for one in states.values() if not one.is_remote)
    held = next((state for state in found if state.change is not None), None)
    if held is None or held.change is None:
        return ""
    return f". {elsewhere(held.change, held.holder.Who if held.holder else '')}"


def _scattered(running: Running) -> list[str]:
    """Return lines about objects in two states or in none, and about states for which this is unknown."""
    names = [name for name in running.written if name in running.locked]
    now = {name: running.locked[name].stored.data for name in names}
    before, unknown = dict[str, bytes](), list[str]()
    for name in names:
        try:
            before |= _stored_before(running, [name])
        except StoreError:
            # Another program overwrote it before the change: its old content is nowhere else.
            before[name] = now[name]
            unknown.append(f"  {display_name(running.states[name].store.name)}")
    told = ["the content before the change is not known of:", *unknown] if unknown else []
    try:
        return [*scattered_lines(scattered(_snapshots(running, before), _snapshots(running, now))), *told]
    except StatetoolError as error:
        return [f"what moved may be in two states or in none: {error}"]


def _snapshots(running: Running, contents: Mapping[str, bytes]) -> dict[str, Snapshot]:
    found = {running.states[name].store.name: data for name, data in contents.items() if data}
    return {name: loaded(running.context, name, data).result.snapshot for name, data in found.items()}


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
    """Raise StoreError if the file has changed since the change began, or names other states."""
    file = printable(intent.file)
    if intent.checksum != journal.checksum and ending is Ending.FINISH:
        raise StoreError(
            f"{file}: the file was changed since its apply began; nothing was written. Put the earlier content back "
            f"(SHA-256 {journal.checksum}), or take the apply back: {ending_command(journal.ending, '--abort')}"
        )
    for name, one in journal.states.items():
        if name not in states or states[name].identity != one.identity:
            raise StoreError(
                f"{file}: the state {name} was {printable(one.location)} when the {intent.what} began; nothing was "
                "written. Run the command in the same folder and environment, with the same arguments"
            )


def _position(journal: ApplyJournal, now: Mapping[str, str], *, back: bool) -> int:
    """Return the number of completed writes; all or none of them if earlier contents were restored."""
    last = len(journal.writes)
    written = {write.state for write in journal.writes}
    found = [done for done in range(last + 1) if all(journal.hashes(done)[state] == now[state] for state in written)]
    return found[-1] if found else last if back else 0


def _contents(running: Running, staging: Staging[R], *, back: bool) -> Contents:
    """Return the contents to write, computed from the contents before. Raises StatetoolError."""
    journal = running.journal
    if back:
        needed = {
            (journal.writes[number].state, journal.hashes(number)[journal.writes[number].state])
            for number in range(running.done)
        }
        stored = _stored_before(running, {state for state, _ in needed})
        contents = {(name, journal.states[name].before): content for name, content in stored.items()}
        if needed <= contents.keys():
            return contents
    elif running.done == len(journal.writes):
        return {}
    stored = _stored_before(running, journal.states)
    before = before_change(running.context, running.states, journal.checksum, stored)
    running.context.phase("editing")
    contents = contents_before(before) | contents_after(before, staging(before).writes)
    for write in journal.writes:
        if (write.state, write.result) not in contents:
            raise StoreError(
                f"{journal.file}: the operations have another result than when the apply began, perhaps with another "
                "version of statetool; nothing was written. Use the version that began it"
            )
    return contents


def _stored_before(running: Running, names: Iterable[str]) -> dict[str, bytes]:
    """Return the stored bytes of states before the change, from the states or their histories. Raises StoreError."""
    found: dict[str, bytes] = {}
    for name in names:
        one, state = running.states[name], running.journal.states[name]
        if state.before == NOTHING:
            found[name] = b""
            continue
        is_now = running.now[name] == state.before
        found[name] = running.locked[name].stored.data if is_now else one.store.content(state.stored)
    return found


class OpenedOperations(NamedTuple):
    """An operations file, its states, and their conditions. `intent` describes the change."""

    file: OperationsFile
    states: Mapping[str, Participant]
    intent: Intent
    pins: Mapping[str, Pin] = {}

    @property
    def names(self) -> dict[str, str]:
        """The names of the states by their short names, in the order of the file."""
        return {name: self.states[name].store.name for name in self.file.states}

    def planned(
        self, context: RunContext, references: References = NO_REFERENCES
    ) -> tuple[Mapping[str, Stored], Mapping[str, LoadedState], Staged[FileOutcome]]:
        """Run the operations on the states, without a lock, and write nothing.

        Returns the stored bytes, the loaded states, and the results. Raises StatetoolError, also if the change is
        unfinished: some states may then be written and others not.
        """
        if has_journal(context.connection().state_home, self.intent.path):
            raise unfinished(self.intent)
        context.phase("reading")
        stored = {name: one.read() for name, one in self.states.items()}
        contents = {name: one.data for name, one in stored.items()}
        states = before_change(context, self.states, self.intent.checksum, contents)
        for name, pin in self.pins.items():
            pin.refuse_other(states[name], stored[name])
        context.phase("editing")
        return stored, states, self._staging(context, references)(states)

    def _staging(self, context: RunContext, references: References) -> Staging[FileOutcome]:
        allowed = self.intent.options.allow_mismatch
        return staging(self.file, context.note, references, allow_mismatch=allowed)

    def applied(self, context: RunContext, agreed: Agreed, references: References = NO_REFERENCES) -> FileOutcome:
        """Run the operations, and write all results or none; a dry run writes nothing. Raises StatetoolError."""
        if self.intent.options.dry_run:
            outcome = self.planned(context, references)[2].outcome
            agreed(self.names, outcome)
            return outcome
        return applied(
            context,
            self.states,
            self.intent,
            self._staging(context, references),
            pins=self.pins,
            agreed=lambda outcome: agreed(self.names, outcome),
        ).outcome

    def ended(self, context: RunContext, ending: Ending) -> tuple[str, ...]:
        """End an interrupted change; return the names of the states that it writes. Raises StatetoolError."""
        written = ended(context, self.states, self.intent, staging(self.file), ending)
        return tuple(self.states[name].store.name for name in written)


def states_of(
    context: RunContext, name: str, file: OperationsFile, folder: Path, *, begun: bool = False
) -> dict[str, Participant]:
    """Return the states of a file whose paths are relative to `folder`; see `state_names`. Raises StatetoolError."""
    if not file.states:
        raise SettingsError(f"{name}: the file names no state")
    names = state_names(context, file, folder, begun=begun)
    return participants(context, names, created_states(file), in_file=not file.in_memory)
