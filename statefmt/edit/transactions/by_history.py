"""Undoes a change of several states, which the history of each of them names, in all of them or in none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.changes.joint_entries import entries_of
from statefmt.edit.ending import Ending
from statefmt.edit.requests.undo import undo_request
from statefmt.edit.session import loaded, state_name
from statefmt.edit.surgical import EditOutcome
from statefmt.edit.transactions._apply import applied
from statefmt.edit.transactions._journal import has_journal
from statefmt.edit.transactions._outcome import Agreed, FileOutcome
from statefmt.edit.transactions._participants import Participant, participant, participants
from statefmt.edit.transactions._places import NamedPlace, kept_places, latest_creation
from statefmt.edit.transactions._running import ways_out
from statefmt.edit.transactions._undone_change import UndoneChange, refused, undo_key, undone_change
from statefmt.edit.transactions._unfinished import ended
from statefmt.model.errors import ChangedError, StoreError
from statefmt.store.backends.options import BackendOptions
from statefmt.store.protocol import HistoryEntry, JointEdit
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name
from statefmt.text.printable import printable


def undo_together(
    context: RunContext,
    name: str,
    to: int | None = None,
    *,
    command: str = "",
    timeout: float | None = 0,
    keeps_backup: bool = True,
    dry_run: bool = False,
    agreed: Agreed = lambda _names, _outcome: True,
) -> FileOutcome:
    """Undo a change of several states in all of them or in none; `name` is one of them, as `current_state()` returns.

    The change is the last edit of each of them; `to` is its number in the history of the named state, whose later edits
    are undone, too. `command` is recorded in locks and histories; `timeout` is in seconds, for each lock, None for no
    locks. `agreed` gets the names of the states and the results before the first write. An undo is a change of several
    states, too: a second one reverts it. Raises StoreError if another of the states was changed since or cannot be
    found, and what `applied_operations()` raises.
    """
    change = _change(context, name, to)
    pins, staging = change.pins, change.staging(context)
    names = {one.store.name: one.store.name for one in change.states.values()}

    def is_agreed(outcomes: Mapping[str, EditOutcome]) -> bool:
        return agreed(names, change.outcome(outcomes))

    try:
        if dry_run:
            stored = {location: one.store.read() for location, one in change.states.items()}
            states = {key: loaded(context, change.states[key].store.name, one.data) for key, one in stored.items()}
            for location, pin in pins.items():
                pin.refuse_other(states[location], stored[location])
            staged = staging(states)
            is_agreed(staged.outcome)
        else:
            intent = change.intent(command, timeout, keeps_backup=keeps_backup)
            staged = applied(context, change.states, intent, staging, pins=pins, agreed=is_agreed)
    except ChangedError as error:
        pin = next(pin for pin in pins.values() if error.expected in (pin.stored, pin.hash))
        raise change.changed(pin) from error
    return change.outcome(staged.outcome)


def created_together(context: RunContext, name: str) -> str | None:
    """Return the name of a state that a change took objects from when it created a state, by the name of that.

    The history of a state begins after its creation, so the history of another one has the change that undo_together()
    undoes. None if statetool has not created the state on this machine, or if it was edited since. Raises StoreError.
    """
    if name == STANDARD_INPUT or name.startswith(GIT):
        return None
    created = participant(context, name)
    if created.store.versions():
        return None
    found = latest_creation(context.connection().state_home, created)
    if found is None:
        return None
    change, places = found
    for location, place in places.items():
        if not place.created:
            other = _name(context, location, places, created)
            entries = participant(context, other).store.versions()
            if entries and entries[-1].joint and entries[-1].joint.id == change:
                return other
    return None


def end_undo(
    context: RunContext, name: str, ending: Ending, *, timeout: float | None = 0, keeps_backup: bool = True
) -> tuple[str, ...]:
    """End an undo of several states that was interrupted; `name` is one of them.

    Returns the names of the states that it writes. Raises StatetoolError; see `ended_operations()`.
    """
    named = participant(context, name)
    entries = named.store.versions()
    joint = _unfinished(context, entries)
    if joint is None:
        last = entries[-1].joint if entries else None
        home = context.connection().state_home
        # The history of a state that the change created does not have the change.
        is_known = last and last.undoes and has_journal(home, undo_key(last.undoes))
        way = f". {ways_out(last.ending)}" if last and is_known else " on this machine"
        raise StoreError(f"{display_name(name)}: its history has no unfinished undo of several states{way}")
    states, created = _states(context, name, named, joint)
    if ending is Ending.LEAVE:
        # Whatever the histories have.
        change = UndoneChange(joint, named, states, {})
    else:
        change = undone_change(joint, named, states, created=created)
    intent = change.intent(timeout=timeout, keeps_backup=keeps_backup)
    written = ended(context, states, intent, change.staging(context), ending)
    return tuple(states[location].store.name for location in written)


def _unfinished(context: RunContext, entries: Sequence[HistoryEntry]) -> JointEdit | None:
    """Return the change whose undo has begun and not ended, if that is or undoes the last edit of a state."""
    last = entries[-1].joint if entries else None
    home = context.connection().state_home
    for one in (last.id, last.undoes) if last else ():
        of_change = entries_of(entries, one)
        if of_change and of_change[0].joint and has_journal(home, undo_key(one)):
            return of_change[0].joint
    return None


def _change(context: RunContext, name: str, to: int | None) -> UndoneChange:
    """Find the change that is undone. Raises StoreError."""
    named = participant(context, name)
    _refuse_unfinished(context, name, named)
    undo = undo_request(named.store, to)
    joint = undo.together
    if joint is None:
        undo.refuse_one_of_several()
        raise StoreError(f"{display_name(name)}: edit {undo.entry.number} did not change several states")
    states, created = _states(context, name, named, joint)
    return undone_change(joint, named, states, undo, created)


def _refuse_unfinished(context: RunContext, name: str, named: Participant) -> None:
    """Raise StoreError if the last change of a state, or its undo, has begun and not ended."""
    entries = named.store.versions()
    last = entries[-1].joint if entries else None
    if _unfinished(context, entries) is not None:
        what, ending = "an earlier undo", ("undo", *named.words)
    elif last and last.ending[:1] == ("apply",) and has_journal(context.connection().state_home, last.file):
        what, ending = "the apply", last.ending
    else:
        return
    raise StoreError(f"{display_name(name)}: {what} is unfinished; nothing was written. {ways_out(ending)}")


def _states(
    context: RunContext, name: str, named: Participant, joint: JointEdit
) -> tuple[dict[str, Participant], dict[str, str]]:
    """Return the states that a change wrote, by their locations, and the hashes of those that it created."""
    if not joint.writes or not all(0 <= place < len(joint.states) for place in joint.writes):
        raise refused(name, "its history does not say which states were written", named)
    if named.location not in joint.written:
        then = ", ".join(map(printable, joint.written))
        raise refused(name, f"the edit was made when this state was one of {then}", named)
    places = kept_places(context.connection().state_home, joint.id)
    names = {
        location: name if location == named.location else _name(context, location, places, named)
        for location in joint.written
    }
    states = participants(context, names)
    for location, place in (places or {}).items():
        if location in states and states[location].identity != place.identity:
            raise refused(location, "another state has this place now", named)
    return states, {location: place.created for location, place in (places or {}).items()}


def _name(context: RunContext, location: str, places: Mapping[str, NamedPlace] | None, named: Participant) -> str:
    """Return the name of another state of the change. Raises StoreError if it cannot be told."""
    place = None if places is None else places.get(location)
    if place is None and "://" not in location and location.startswith("/"):
        # It is a file: nobody is asked for it, and its own history must have the change, too.
        return location
    if place is None or not place.name:
        where = "on this machine" if place is None else "anywhere, since it has a secret"
        raise refused(location, f"how the state was named is not recorded {where}", named)
    options = structs.replace(context.backend or BackendOptions(), workspace=place.workspace)
    return state_name(replace(context, backend=options), place.name)
