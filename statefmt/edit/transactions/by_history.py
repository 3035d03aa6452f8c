"""Undoes a change of several states, which the history of each of them names, in all of them or in none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.changes.joint_entries import content_chain, entries_of
from statefmt.edit.operations_file import FileEdits
from statefmt.edit.requests.undo import Undo, undo_request
from statefmt.edit.session import loaded, state_name
from statefmt.edit.surgical import EditOutcome
from statefmt.edit.transactions._apply import applied
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._journal import has_journal
from statefmt.edit.transactions._operations import FileOutcome
from statefmt.edit.transactions._participants import Participant, participant, participants
from statefmt.edit.transactions._pins import Pin
from statefmt.edit.transactions._places import NamedPlace, kept_places
from statefmt.edit.transactions._running import ways_out
from statefmt.edit.transactions._undoing import UndoneState, undoing
from statefmt.edit.transactions._unfinished import Ending, ended
from statefmt.model.errors import ChangedError, StoreError
from statefmt.model.wording import Wording
from statefmt.store.backends.options import BackendOptions
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import HistoryEntry, JointEdit
from statefmt.store.reading import display_name
from statefmt.text.printable import printable
from statefmt.text.shell import shell_line


class _Change(NamedTuple):
    """A change that is undone: its states by their locations, what becomes of them, and the edit of the named one."""

    joint: JointEdit
    named: Participant
    states: Mapping[str, Participant]
    undone: Mapping[str, UndoneState]
    undo: Undo

    @property
    def writes(self) -> tuple[str, ...]:
        return tuple(self.joint.states[place] for place in self.joint.writes)

    def intent(self, command: str, timeout: float | None, *, keeps_backup: bool) -> Intent:
        words = ("undo", *self.named.words)
        key = _key(self.joint.id)
        return Intent(
            self.named.location, checksum(key.encode()), command, timeout, keeps_backup, key, words, self.joint.id
        )

    def outcome(self, outcomes: Mapping[str, EditOutcome]) -> FileOutcome:
        """Return the outcome by the names of the states, which have no short ones."""
        by_name = {self.states[location].store.name: one for location, one in outcomes.items()}
        return FileOutcome(by_name, FileEdits({name: one.edit for name, one in by_name.items()}))


def undo_together(
    context: RunContext,
    name: str,
    to: int | None = None,
    *,
    command: str = "",
    timeout: float | None = 0,
    keeps_backup: bool = True,
    dry_run: bool = False,
    agreed: Callable[[Mapping[str, str], FileOutcome], bool] = lambda _names, _outcome: True,
) -> FileOutcome:
    """Undo a change of several states in all of them or in none; `name` is one of them, as `current_state()` returns.

    The change is the last edit of each of them; `to` is its number in the history of the named state, whose later edits
    are undone, too. `command` is recorded in locks and histories; `timeout` is in seconds, for each lock, None for no
    locks. `agreed` gets the names of the states and the results before the first write. An undo is a change of several
    states, too: a second one reverts it. Raises StoreError if another of the states was changed since or cannot be
    found, and what `applied_operations()` raises.
    """
    change = _change(context, name, to)
    pins = {location: Pin(stored=one.undo.last.after) for location, one in change.undone.items()}
    staging = undoing(context, change.undone, change.writes)
    names = {one.store.name: one.store.name for one in change.states.values()}

    def is_agreed(outcomes: Mapping[str, EditOutcome]) -> bool:
        return agreed(names, change.outcome(outcomes))

    try:
        if dry_run:
            stored = {location: one.store.read() for location, one in change.states.items()}
            states = {key: loaded(context, change.undone[key].undo.name, one.data) for key, one in stored.items()}
            for location, pin in pins.items():
                pin.refuse_other(states[location], stored[location])
            staged = staging(states)
            is_agreed(staged.outcome)
        else:
            intent = change.intent(command, timeout, keeps_backup=keeps_backup)
            staged = applied(context, change.states, intent, staging, pins=pins, agreed=is_agreed)
    except ChangedError as error:
        location = next(key for key, pin in pins.items() if pin.stored == error.expected)
        last = change.undone[location].undo.last
        what = f"something else has changed the state since edit {last.number} ({printable(last.command)})"
        raise _refused(change.undone[location].undo.name, what, change.named) from error
    return change.outcome(staged.outcome)


def end_undo(
    context: RunContext, name: str, ending: Ending, *, timeout: float | None = 0, keeps_backup: bool = True
) -> tuple[str, ...]:
    """End an undo of several states that was interrupted; `name` is one of them.

    Returns the names of the states that it writes. Raises StatetoolError; see `ended_operations()`.
    """
    named = participant(context, name)
    entries = named.store.versions()
    change_id = _unfinished(context, entries)
    if change_id is None:
        raise StoreError(f"{display_name(name)}: there is no unfinished undo of several states on this machine")
    of_change = entries_of(entries, change_id)
    if not of_change:
        raise _refused(name, "the history does not have the edit that the undo is about any more", named)
    change = _change(context, name, of_change[0].number, is_begun=True, is_left=ending is Ending.LEAVE)
    intent = change.intent("", timeout, keeps_backup=keeps_backup)
    written = ended(context, change.states, intent, undoing(context, change.undone, change.writes), ending)
    return tuple(change.states[location].store.name for location in written)


def _key(change_id: str) -> str:
    """Return what tells the undo of a change from all other changes; no path is like it."""
    return f"undo-{change_id}"


def _unfinished(context: RunContext, entries: Sequence[HistoryEntry]) -> str | None:
    """Return the ID of the change whose undo has begun and not ended, if that is or undoes the last edit of a state."""
    joint = entries[-1].joint if entries else None
    if not joint:
        return None
    home = context.connection().state_home
    return next((one for one in (joint.id, joint.undoes) if one and has_journal(home, _key(one))), None)


def _change(
    context: RunContext, name: str, to: int | None, *, is_begun: bool = False, is_left: bool = False
) -> _Change:
    """Find the states of a change, and what they had before. Raises StoreError."""
    named = participant(context, name)
    if not is_begun and _unfinished(context, named.store.versions()) is not None:
        ways = ways_out(("undo", *named.words))
        raise StoreError(f"{display_name(name)}: an earlier undo is unfinished; nothing was written. {ways}")
    undo = undo_request(named.store, to)
    joint = undo.entry.joint if is_begun else undo.together
    if not joint:
        undo.refuse_one_of_several()
        raise StoreError(f"{display_name(name)}: edit {undo.entry.number} did not change several states")
    if not joint.writes or not all(0 <= place < len(joint.states) for place in joint.writes):
        raise _refused(name, "its history does not say which states were written", named)
    if named.location not in joint.written:
        what = (
            f"edit {undo.entry.number} was made when this state was one of {', '.join(map(printable, joint.written))}"
        )
        raise _refused(name, what, named)
    places = kept_places(context.connection().state_home, joint.id)
    names = {
        location: name if location == named.location else _name(context, location, places, named)
        for location in joint.written
    }
    states = participants(context, names)
    undone = {
        location: _undone(location, one, joint, named, undo if location == named.location else None, is_begun=is_begun)
        for location, one in states.items()
        if not is_left
    }
    return _Change(joint, named, states, undone, undo)


def _name(context: RunContext, location: str, places: Mapping[str, NamedPlace] | None, named: Participant) -> str:
    """Return the name of another state of the change. Raises StoreError if it cannot be told."""
    place = None if places is None else places.get(location)
    if place is None and "://" not in location and location.startswith("/"):
        # It is a file: nobody is asked for it, and its own history must have the change, too.
        return location
    if place is None or not place.name:
        where = "on this machine" if place is None else "anywhere, since it has a secret"
        raise _refused(location, f"how the state was named is not recorded {where}", named)
    options = structs.replace(context.backend or BackendOptions(), workspace=place.workspace)
    return state_name(replace(context, backend=options), place.name)


def _undone(
    location: str, one: Participant, joint: JointEdit, named: Participant, undo: Undo | None, *, is_begun: bool
) -> UndoneState:
    """Read what a state had before the change, and in between. Raises StoreError if its history does not have it."""
    if one.location != location:
        raise _refused(location, f"the state is now {one.location}", named)
    entries = one.store.versions()
    of_change = entries_of(entries, joint.id)
    if not of_change or any(entry.joint != joint for entry in of_change):
        raise _refused(location, "the history of this state does not have the change", named)
    if undo is None:
        last = entries[-1]
        if not is_begun and last.joint != joint:
            raise _refused(location, f"edit {last.number} ({printable(last.command)}) came after the change", named)
        undo = undo_request(one.store, of_change[0].number)
    chain = content_chain(of_change)
    if len(chain) != 1 + sum(joint.states[place] == location for place in joint.writes):
        raise _refused(location, "the change was taken back in this state, or is not all in its history", named)
    return UndoneState(undo._replace(joint=()), tuple(map(one.store.content, chain[1:-1])))


def _refused(name: str, what: str, named: Participant) -> StoreError:
    """Return the error that says why not all states can be undone, and how one is."""
    return StoreError(
        f"{printable(name)}: {what}, so the edit of several states cannot be undone in all of them; nothing was "
        "written. ",
        Wording(f"`{shell_line(('statetool', 'undo', '--only', *named.words))}`", "State.undo(only=True)"),
        f" undoes it in {printable(named.store.name)} only",
    )
