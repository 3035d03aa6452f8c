"""Undoes a change of several states in all of them or in none, by their histories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from statefmt.analysis.diff import scattered
from statefmt.context import RunContext
from statefmt.edit.changes import Edit, Ending, with_note
from statefmt.edit.operations.undo import Undo, undo_request
from statefmt.edit.pipeline import EditOptions, EditOutcome
from statefmt.edit.session import loaded, state_name
from statefmt.edit.transactions import applied, elsewhere, scattered_lines, ways_out
from statefmt.edit.transactions._ending import ended
from statefmt.edit.transactions._participants import (
    ApplyJournal,
    NamedPlace,
    Participant,
    has_journal,
    kept_places,
    opened_journal,
    participant,
    participants,
)
from statefmt.edit.transactions._undone_change import (
    StateOpening,
    UndoneChange,
    begun_undo,
    made_elsewhere,
    refused,
    undo_key,
    undone_change,
)
from statefmt.edit.transactions.staging import Agreed, FileOutcome
from statefmt.model.errors import ChangedError, StatetoolError, StoreError, Wording
from statefmt.model.snapshot import Snapshot
from statefmt.store.backends.options import BackendOptions, allowed_paths
from statefmt.store.files import inside_name
from statefmt.store.protocol import JointEdit
from statefmt.store.reading import display_name
from statefmt.text import printable, shell_word


def undo_together(
    context: RunContext,
    name: str,
    to: int | None = None,
    options: EditOptions = EditOptions(),
    *,
    agreed: Agreed = lambda _names, _outcome: True,
) -> FileOutcome:
    """Undo a change of several states in all of them or in none; `name` is one of the states, as `current_state()`
    returns it.

    Undoes the last edit of the named state, or edit `to` and all later ones; in the other states, the edits made
    together with these. `agreed` gets the names of the states and the results before the first write. An undo is a
    change of several states, too: a second undo reverts it. Raises StoreError if another state has changed since or
    cannot be found, and the errors of `applied_operations()`.
    """
    change = _change(context, name, to)
    pins, staging = change.pins, change.staging(context)
    names = {one.store.name: one.store.name for one in change.states.values()}

    def is_agreed(outcomes: Mapping[str, EditOutcome]) -> bool:
        return agreed(names, change.outcome(outcomes))

    try:
        if options.dry_run:
            stored = {location: one.store.read() for location, one in change.states.items()}
            states = {key: loaded(context, change.states[key].store.name, one.data) for key, one in stored.items()}
            for location, pin in pins.items():
                pin.refuse_other(states[location], stored[location])
            staged = staging(states)
            is_agreed(staged.outcome)
        else:
            staged = applied(context, change.states, change.intent(options), staging, pins=pins, agreed=is_agreed)
    except ChangedError as error:
        pin = next(pin for pin in pins.values() if error.expected in (pin.stored, pin.hash))
        raise change.changed(pin) from error
    return change.outcome(staged.outcome)


def undone_alone(context: RunContext, name: str, undo: Undo, before: Snapshot, edit: Edit) -> Edit:
    """Return the edit of an undo in one state only, with notes on objects that would be in two states or in none.

    `before` is the state before the undo. There are no notes unless the undo reverts a joint edit.
    """
    if not undo.joint:
        return edit
    named = participant(context, name)
    others: dict[str, Snapshot] = {}
    unknown: list[str] = []
    for location in dict.fromkeys(place for one in undo.joint for place in one.written):
        if location != named.location:
            try:
                joint = next(one for one in undo.joint if location in one.written)
                other = _opening(context, named)(location, joint)
                others[other.store.name] = loaded(context, other.store.name, other.read().data).result.snapshot
            except StatetoolError:
                unknown.append(location)
    here = named.store.name
    lines = scattered_lines(scattered({here: before} | others, {here: edit.snapshot} | others))
    if lines:
        edit = with_note(edit, "\n".join(["this undo is in one of several states, and leaves objects", *lines]))
    if unknown:
        listed = "\n".join(f"  {printable(location)}" for location in unknown)
        edit = with_note(edit, f"what moved to or from these states may be in two states or in none:\n{listed}")
    return edit


def end_undo(context: RunContext, name: str, ending: Ending, options: EditOptions = EditOptions()) -> tuple[str, ...]:
    """End an interrupted undo of several states; `name` is one of the states.

    Returns the names of the states that it writes. Raises StatetoolError; see `ended_operations()`.
    """
    named = participant(context, name)
    home = context.connection().state_home
    change_id = _unfinished(home, named)
    if change_id is None:
        raise StoreError(
            f"{display_name(name)}: its history has no unfinished undo of several states{_way(home, named)}"
        )
    with opened_journal(home, undo_key(change_id)) as folder:
        journal = folder.read()
    if journal is None:
        raise StoreError(f"{display_name(name)}: the undo has ended meanwhile; nothing was written")
    states = _journaled(context, named, journal)
    # LEAVE does not need the histories.
    is_left = ending is Ending.LEAVE
    change = UndoneChange(change_id, named, states, {}) if is_left else begun_undo(journal, named, states)
    written = ended(context, states, change.intent(options), change.staging(context), ending)
    return tuple(states[location].store.name for location in written)


def _unfinished(home: Path, named: Participant) -> str | None:
    """Return the ID of the change with an unfinished undo in which a state takes part, or None."""
    joint = [entry.joint for entry in reversed(named.store.versions()) if entry.joint]
    known = dict.fromkeys(one for edit in joint for one in (edit.undoes, edit.id))
    found = next((one for one in known if one and has_journal(home, undo_key(one))), None)
    if found is None and not named.is_remote and (held := named.store.lock_state().change) is not None:
        # Its history does not record the undo yet.
        found = held.undoes if held.undoes and has_journal(home, undo_key(held.undoes)) else None
    return found


def _way(home: Path, named: Participant) -> str:
    """Return advice on ending an undo whose journal is in another folder."""
    held = None if named.is_remote else named.store.lock_state()
    if held is None or held.change is None:
        return " on this machine"
    return f" in {home}. {elsewhere(held.change, held.holder.Who if held.holder else '')}"


def _journaled(context: RunContext, named: Participant, journal: ApplyJournal) -> dict[str, Participant]:
    """Return the states of an unfinished undo. Raises StoreError."""
    places = kept_places(context.connection().state_home, journal.id)
    names = {
        location: named.store.name if location == named.location else _name(context, location, places, named)
        for location in journal.states
    }
    return participants(context, names)


def _change(context: RunContext, name: str, to: int | None) -> UndoneChange:
    """Find the change to undo. Raises StoreError."""
    named = participant(context, name)
    _refuse_unfinished(context, name, named)
    undo = undo_request(named.store, to)
    if not undo.joint:
        raise StoreError(f"{display_name(name)}: edit {undo.entry.number} did not change several states")
    change = undone_change(context, named, undo, _opening(context, named))
    # Refuses two names of the same state.
    participants(context, {location: one.store.name for location, one in change.states.items()})
    return change


def _opening(context: RunContext, named: Participant) -> StateOpening:
    """Return a function that opens another state of an edit. It raises StoreError."""

    def opening(location: str, joint: JointEdit) -> Participant:
        places = kept_places(context.connection().state_home, joint.id)
        found = participant(context, _name(context, location, places, named))
        if places and location in places and found.identity != places[location].identity:
            raise refused(location, "another state has this place now")
        return found

    return opening


def _refuse_unfinished(context: RunContext, name: str, named: Participant) -> None:
    """Raise StoreError if the last change of a state, or its undo, is unfinished."""
    home = context.connection().state_home
    entries = named.store.versions()
    last = entries[-1].joint if entries else None
    if _unfinished(home, named) is not None:
        what, ending = "an earlier undo", ("undo", *named.words)
    elif last and last.ending[:1] == ("apply",) and has_journal(home, last.file):
        what, ending = "the apply", last.ending
    else:
        return
    raise StoreError(f"{display_name(name)}: {what} is unfinished; nothing was written. {ways_out(ending)}")


def _name(context: RunContext, location: str, places: Mapping[str, NamedPlace] | None, named: Participant) -> str:
    """Return the name of another state of the change. Raises StoreError if it is unknown."""
    place = None if places is None else places.get(location)
    if place is None and "://" not in location and location.startswith("/"):
        # A file: no host is contacted, and its own history must have the change, too.
        if places is None and not named.is_remote:
            return _near(context, location, named)
        return location
    if place is None or not place.name:
        where = "on this machine" if place is None else "anywhere, since it has a secret"
        raise refused(location, f"how the state was named is not recorded {where}", _recorded(location, place, named))
    options = structs.replace(context.backend or BackendOptions(), workspace=place.workspace)
    return state_name(replace(context, backend=options), place.name)


def _near(context: RunContext, location: str, named: Participant) -> str:
    """Return the name of a file that only histories name, which may come with their folder. Raises StoreError."""
    roots: tuple[Path | str, ...] = (Path(named.location).parent, *allowed_paths(context.backend, context.environment))
    found = inside_name(Path(location), roots)
    if found is None:
        ways = Wording(f"use --allow-path {shell_word(location)}", f"put {location!r} in BackendOptions.allowed_paths")
        raise StoreError(
            f"{printable(location)}: only the history of {printable(named.location)} names this state, which is "
            "outside of its folder, and no record on this machine does; nothing was written. If you trust it, ",
            ways,
        )
    return found


def _recorded(location: str, place: NamedPlace | None, named: Participant) -> str:
    """Return advice on undoing a change whose names are not on this machine."""
    if place is not None:
        return f"Name that state: `statetool undo --state URL`, with the URL of {printable(location)}"
    entry = next(one for one in reversed(named.store.versions()) if one.joint and location in one.joint.states)
    return made_elsewhere(entry.user, entry.joint.home if entry.joint else "")
