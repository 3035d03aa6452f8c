"""Reads in the histories of several states what undoes a change of them; all of the histories must have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.edit.changes.joint_entries import content_chain, entries_in_effect, entries_of
from statefmt.edit.operations_file import FileEdits
from statefmt.edit.requests.undo import Undo, undo_request
from statefmt.edit.surgical import EditOutcome
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._outcome import FileOutcome
from statefmt.edit.transactions._participants import Participant
from statefmt.edit.transactions._pins import Pin
from statefmt.edit.transactions._staged import Staging
from statefmt.edit.transactions._undoing import UndoneState, empty_again, undoing
from statefmt.model.errors import StoreError
from statefmt.model.wording import Wording
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import JointEdit
from statefmt.text.printable import printable
from statefmt.text.shell import shell_line


class UndoneChange(NamedTuple):
    """A change that is undone: the state that the user named, and all of them by their locations."""

    joint: JointEdit
    named: Participant
    states: Mapping[str, Participant]
    undone: Mapping[str, UndoneState]

    @property
    def pins(self) -> dict[str, Pin]:
        """What each state must be."""
        return {location: one.pin for location, one in self.undone.items()}

    def intent(self, command: str = "", timeout: float | None = 0, *, keeps_backup: bool = True) -> Intent:
        """Return the intent of the undo; the arguments are those of an Intent."""
        key, words = undo_key(self.joint.id), ("undo", *self.named.words)
        change = checksum(key.encode())
        return Intent(self.named.location, change, command, timeout, keeps_backup, key, words, self.joint.id)

    def staging(self, context: RunContext) -> Staging[dict[str, EditOutcome]]:
        """Return the function that stages the undo."""
        return undoing(context, self.undone, [self.joint.states[place] for place in self.joint.writes])

    def outcome(self, outcomes: Mapping[str, EditOutcome]) -> FileOutcome:
        """Return the outcome by the names of the states, which have no short ones."""
        by_name = {self.states[location].store.name: one for location, one in outcomes.items()}
        return FileOutcome(by_name, FileEdits({name: one.edit for name, one in by_name.items()}))

    def changed(self, pin: Pin) -> StoreError:
        """Return the error for a state that is not what it must be."""
        location = next(location for location, one in self.undone.items() if one.pin is pin)
        what = f"something else has changed the state since {self.undone[location].last}"
        return refused(self.states[location].store.name, what, self.named)


def undo_key(change_id: str) -> str:
    """Return what tells the undo of a change from all other changes; no path is like it."""
    return f"undo-{change_id}"


def undone_change(
    joint: JointEdit,
    named: Participant,
    states: Mapping[str, Participant],
    undo: Undo | None = None,
    created: Mapping[str, str] | None = None,
) -> UndoneChange:
    """Find what undoes a change; `states` are those that it wrote, by their locations.

    `undo` is the edit of the named state. Without it, the undo has begun already, and states have any content.
    `created` are the SHA-256 of the plain contents of states that the change created. Raises StoreError if a history
    does not have the change, or if another state has later edits.
    """
    undone: dict[str, UndoneState] = {}
    for location, one in states.items():
        if one.location != location:
            raise refused(location, f"the state is now {one.location}", named)
        given = undo if location == named.location else None
        is_created = location in joint.created_states
        found = (_created if is_created else _changed)(joint, named, one, given, (created or {}).get(location, ""))
        undone[location] = found if undo is not None else found._replace(pin=Pin())
        later = _later_edit(joint, one)
        if undo is not None and given is None and later:
            raise refused(location, f"{later} came after the change", named)
    return UndoneChange(joint, named, states, undone)


def refused(name: str, what: str, named: Participant) -> StoreError:
    """Return the error that says why not all states can be undone, and how one is."""
    return StoreError(
        f"{printable(name)}: {what}, so the edit of several states cannot be undone in all of them; nothing was "
        "written. ",
        Wording(f"`{shell_line(('statetool', 'undo', '--only', *named.words))}`", "State.undo(only=True)"),
        f" undoes it in {printable(named.store.name)} only",
    )


def _changed(joint: JointEdit, named: Participant, one: Participant, undo: Undo | None, _result: str) -> UndoneState:
    """Return what restores a state that was there before the change."""
    of_change = entries_of(one.store.versions(), joint.id)
    if not of_change or any(entry.joint != joint for entry in of_change):
        raise refused(one.location, "the history of this state does not have the change", named)
    undo = undo or undo_request(one.store, of_change[0].number)
    chain = content_chain(of_change)
    if len(chain) != 1 + joint.count(one.location):
        raise refused(one.location, "the change was taken back in this state, or is not all in its history", named)
    last = f"edit {undo.last.number} ({printable(undo.last.command)})"
    between = tuple(map(one.store.content, chain[1:-1]))
    return UndoneState(undo._replace(joint=()).edit, Pin(stored=undo.last.after), between, last)


def _created(joint: JointEdit, named: Participant, one: Participant, _undo: Undo | None, result: str) -> UndoneState:
    """Return what empties a state that the change created; no history has the first write of it."""
    of_change = entries_of(one.store.versions(), joint.id)
    chain = content_chain(of_change)
    if len(chain) not in (0, joint.count(one.location)) or (not chain and joint.count(one.location) > 1):
        raise refused(one.location, "the change was taken back in this state, or is not all in its history", named)
    if not result:
        raise refused(one.location, "what the change created there is not recorded on this machine", named)
    between = tuple(map(one.store.content, chain[:-1]))
    return UndoneState(empty_again, Pin(hash=result), between, "the change")


def _later_edit(joint: JointEdit, one: Participant) -> str:
    """Return the last edit of a state if it is not the change, for messages."""
    entries = entries_in_effect(one.store.versions())
    if not entries or entries[-1].joint == joint:
        return ""
    return f"edit {entries[-1].number} ({printable(entries[-1].command)})"
