"""Changes several states as one transaction; after a crash, the user chooses to finish or revert it.

States are locked together; all results and a durable journal exist before the first write. Objects arrive in one state
before they leave another. `_participants.py` has the states and the journal, `operations.py` applies operations files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from msgspec import structs

from statefmt.analysis.diff import Scattered
from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, StateFileError, loaded
from statefmt.edit.transactions._participants import (
    ApplyJournal,
    JournaledState,
    JournaledWrite,
    JournalFolder,
    Participant,
    keep_places,
    opened_journal,
    refuse_one_under_two_names,
)
from statefmt.edit.transactions.plan import Intent, Pin, Staged, Staging, Write, before_change, emptied, hash_before
from statefmt.model.errors import ChangedError, EncryptedStateError, StatetoolError, StoreError
from statefmt.pieces import Pieces
from statefmt.store.local.journal import checksum
from statefmt.store.local.locks import ending_command
from statefmt.store.protocol import NOTHING, JointEdit, LockedManagedStore, LockInfo, WriteTerms
from statefmt.store.reading import display_name
from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.remote.interruption import interruptible
from statefmt.store.remote.records import SETTING, is_kept
from statefmt.text import printable, shell_word

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
    """Change several states in one transaction; `states` maps short names to states, in lock order.

    Locks and reads all states, verifies the `pins`, stages all results and, if `agreed`, writes them. If a write fails,
    reverts the earlier writes. Signals wait while states are written. After a crash, or if reverting fails, the states
    stay held until `ended`. Raises StatetoolError, which names the written states.
    """
    pins = pins or {}
    home = context.connection().state_home
    with interruptible() as interruption, opened_journal(home, intent.path) as folder:
        if folder.read() is not None:
            raise unfinished(intent)
        with ExitStack() as quiet, ExitStack() as locks:
            context.phase("locking")
            infos = {name: intent.lock_info(context, one.store.name) for name, one in states.items()}
            locked: dict[str, LockedManagedStore] = {}
            for name, one in states.items():
                locked[name] = locks.enter_context(one.locked(infos[name], intent.options.timeout))
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
            running = Running(context, states, journal, locked, journal.hashes(0), writable, intent.options.keep_backup)
            running.pieces = pieces_after(before, staged.writes)
            quiet.enter_context(interruption.deferred())
            if len(journal.writes) == 1:
                # A single write is atomic.
                running.forward()
                locks.close()
            else:
                _written(running, folder, locks)
    for name in running.written:
        states[name].store.tidy()
    return staged


def unfinished(intent: Intent) -> StoreError:
    """Return the error for an earlier, unfinished change by the same file."""
    what = f"an earlier {intent.what} is unfinished"
    return StoreError(f"{printable(intent.file)}: {what}; nothing was written. {ways_out(intent.ending)}")


def end(running: Running, folder: JournalFolder, locks: ExitStack) -> None:
    """End the hold on the states, once all have their contents. Raises StoreError."""
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
    """Return the journal, without writes that change nothing. Raises StoreError if a backend would not keep a state."""
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
    # The IDs of locks are unique to each edit.
    number = next(iter(infos.values())).ID
    file = printable(intent.file if intent.key else intent.path)
    return ApplyJournal(
        number, file, intent.checksum, intent.options.command, known, writes, intent.ending, intent.undoes
    )


def _written(running: Running, folder: JournalFolder, locks: ExitStack) -> None:
    """Write several states behind a journal; revert the writes if one fails."""
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


# In lines, for objects in two states, and for objects in none.
_MOST: Final = 10


@dataclass(slots=True)
class Running:
    """The locked states of a running change. `locked` has their current contents, `now` the hashes of their plain
    contents.

    `contents` are the contents to write; `pieces` describe some of them as changes, which are faster to write. `done`
    is the number of completed writes of the journal.
    """

    context: RunContext
    states: Mapping[str, Participant]
    journal: ApplyJournal
    locked: dict[str, LockedManagedStore]
    now: dict[str, str]
    contents: Contents
    keeps_backup: bool = True
    pieces: Mapping[tuple[str, str], Pieces] = field(default_factory=dict)
    done: int = 0
    foreign: set[str] = field(default_factory=set)

    @property
    def written(self) -> tuple[str, ...]:
        """The states that the journal writes, in the order of their locks."""
        return tuple(name for name in self.states if any(write.state == name for write in self.journal.writes))

    def hold(self) -> None:
        """Exclude other programs from the states to write, even after a crash. Raises StoreError."""
        for name in self.written:
            self.locked[name] = self.locked[name].hold(joint_edit(self.context, self.journal, self.states))

    def release(self) -> None:
        """End the hold. Raises StoreError."""
        for name in self.written:
            self.locked[name].release()

    def forward(self) -> None:
        """Make the remaining writes, and read each back before the next. Raises StatetoolError."""
        total = len(self.journal.writes)
        for write in self.journal.writes[self.done :]:
            self.context.phase("writing", self.done, total, "states")
            self._put(write.state, write.result)
            self.done += 1

    def back(self) -> None:
        """Revert the completed writes, the last one first. Raises StatetoolError."""
        for number in range(self.done, 0, -1):
            state = self.journal.writes[number - 1].state
            if state not in self.foreign and not self.journal.states[state].is_created:
                self._put(state, self.journal.hashes(number - 1)[state])
            self.done = number - 1
        # All arrived objects are back in their old states.
        for state in self.written:
            if self.journal.states[state].is_created and state not in self.foreign:
                self._remove(state)

    def back_after_failure(self) -> None:
        """Revert the writes before a failed write that had no effect. Raises StatetoolError."""
        begun = [write.state for write in self.journal.writes[: self.done + 1]]
        written = {write.state for write in self.journal.writes[: self.done]}
        for state in dict.fromkeys(begun):
            self._renew(state)
            if self.now[state] not in self.journal.known(state):
                if state in written:
                    raise StoreError(self.changed_by_others([state]))
                # A foreign write caused the failure.
                self.foreign.add(state)
        self.done = len(begun)
        self.back()

    def changed_by_others(self, states: Iterable[str]) -> str:
        """Return a message that names the states with an unknown content."""
        names = {state: display_name(self.states[state].store.name) for state in states}
        deleted = [name for state, name in names.items() if self.now[state] == NOTHING]
        if deleted:
            return f"{', '.join(deleted)}: something else has deleted the state since the change began"
        what = "it has" if len(names) == 1 else "each of them has"
        return (
            f"{', '.join(names.values())}: something else has written since the change began: {what} neither the "
            "content before nor the one after. It was not overwritten"
        )

    def _put(self, state: str, wanted: str) -> None:
        """Write a content of a state and read it back."""
        if self.now[state] == wanted:
            return
        store = self.locked[state]
        content = self.contents[state, wanted]
        now = int(self.context.clock().timestamp())
        is_before = self.now[state] == self.journal.states[state].before
        pieces = self.pieces.get((state, wanted), [content]) if is_before else [content]
        undoes = self.journal.states[state].undoes
        store.write(pieces, store.stored.version, WriteTerms(now, keeps_backup=self.keeps_backup, undoes=undoes))
        self.locked[state] = store.renewed()
        if self.locked[state].stored.data == content:
            self.now[state] = wanted
            return
        self._renew(state)
        if self.now[state] != wanted:
            raise StoreError(
                f"{display_name(self.states[state].store.name)}: what was written reads back as another content"
            )

    def _remove(self, state: str) -> None:
        """Remove a state that the change created; empty it if it cannot be removed."""
        store = self.locked[state]
        if self.now[state] == NOTHING and store.stored.data:
            return
        try:
            store.discard(store.stored.version)
        except (ChangedError, UnknownOutcomeError):
            raise
        except StoreError as error:
            if not store.stored.data:
                raise
            created = loaded(self.context, self.states[state].store.name, store.stored.data)
            content, now = created.to_store(emptied(created)), int(self.context.clock().timestamp())
            store.write([content], store.stored.version, WriteTerms(now, keeps_backup=self.keeps_backup))
            self.context.note(f"{error}. So the state is still there, without any objects; delete it yourself")
        self._renew(state)
        if self.now[state] != NOTHING:
            raise StoreError(f"{display_name(self.states[state].store.name)}: the state was deleted and is still there")

    def _renew(self, state: str) -> None:
        self.locked[state] = self.locked[state].renewed()
        self.now[state] = self.hash_now(state)

    def hash_now(self, state: str) -> str:
        """Return the hash of the plain content of a state, or of no bytes if it does not exist. See `plain_hash`."""
        found = plain_hash(self.context, self.states[state], self.locked[state].stored.data)
        return NOTHING if found == self.journal.states[state].empty else found


def plain_hash(context: RunContext, state: Participant, data: bytes) -> str:
    """Return the SHA-256 of the plain content; of the bytes themselves if they are not a state.

    Raises StatetoolError if they are encrypted and cannot be decrypted.
    """
    if not data:
        return NOTHING
    try:
        return checksum(loaded(context, state.store.name, data).data)
    except StateFileError as error:
        if isinstance(error.__cause__, EncryptedStateError):
            raise
        return checksum(data)


def joint_edit(context: RunContext, journal: ApplyJournal, states: Mapping[str, Participant]) -> JointEdit:
    """Describe the change for markers and histories."""
    names = list(states)
    writes = tuple(names.index(write.state) for write in journal.writes)
    locations = tuple(one.location for one in states.values())
    created = tuple(place for place, name in enumerate(names) if journal.states[name].empty)
    home = str(context.connection().state_home)
    return JointEdit(journal.id, journal.file, locations, writes, journal.ending, journal.undoes, created, home)


def elsewhere(joint: JointEdit, who: str) -> str:
    """Return sentences about how to end a change whose journal is in another folder of statetool."""
    home = Path(joint.home)
    where = (
        f" with XDG_STATE_HOME={shell_word(printable(str(home.parent)))}: the journal is in {home}"
        if joint.home
        else ""
    )
    return (
        f"{printable(who) or 'Somebody'} began it, and can end it{where}. If that journal is lost, compare the states "
        "with their histories, put right what is in two states or in none, and then delete the marker of each state, "
        ".NAME.statetool.hold beside it"
    )


def scattered_lines(found: Scattered) -> list[str]:
    """Return lines about objects that are in two states or in none."""
    doubled = [f"  {addr} in {_listed(names)}" for addr, names in found.doubled]
    lost = [f"  {addr}, once in {display_name(name)}" for addr, name in found.lost]
    lines: list[str] = []
    for heading, listed in (("in two states:", doubled), ("in no state:", lost)):
        more = [f"  … and {len(listed) - _MOST} more"] if len(listed) > _MOST else []
        lines += [heading, *listed[:_MOST], *more] if listed else []
    return lines


def _listed(names: Sequence[str]) -> str:
    # Names may be equal, and an object may be twice in one state.
    return " and ".join(map(display_name, names)) if len(names) > 1 else f"{display_name(names[0])} twice"


def ways_out(ending: Sequence[str], *, foreign: bool = False, scattered: Sequence[str] = ()) -> str:
    """Return advice on ending an unfinished change; `foreign` if another program wrote a state.

    `ending` are the words of the command without its option, such as `apply FILE`. `scattered` are lines about objects
    that would be in two states or in none.
    """
    if foreign and scattered:
        lines = "\n".join(scattered)
        return (
            f"To leave all states as they are and let others edit them, use --leave with the same command. That leaves "
            f"these objects, which must be removed from one state or put back into one:\n{lines}"
        )
    if foreign:
        return (
            f"{ending_command(ending, '--leave')} leaves all states as they are and lets others edit them; compare "
            "them with their histories then"
        )
    return (
        f"{ending_command(ending, '--resume')} finishes the change, and {ending_command(ending, '--abort')} takes it "
        "back"
    )


# The contents to write, by state and hash of the plain content.
Contents: TypeAlias = dict[tuple[str, str], bytes]


def contents_before(states: Mapping[str, LoadedState]) -> Contents:
    """Return the contents that revert the writes."""
    return {(name, hash_before(state)): state.stored for name, state in states.items()}


def contents_after(states: Mapping[str, LoadedState], writes: Iterable[Write]) -> Contents:
    """Return the contents of the writes, encrypted like the states. Raises EncryptionError."""
    return {(write.state, checksum(write.content)): states[write.state].to_store(write.content) for write in writes}


def pieces_after(states: Mapping[str, LoadedState], writes: Iterable[Write]) -> dict[tuple[str, str], Pieces]:
    """Return the pieces of the writes to plain states."""
    return {
        (write.state, checksum(write.content)): write.pieces
        for write in writes
        if write.pieces is not None and not states[write.state].is_new and states[write.state].seal is None
    }
