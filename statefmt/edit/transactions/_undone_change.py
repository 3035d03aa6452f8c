"""Plans an undo of edits of several states, so that each edit is in effect in all or none of its states.

The user names a state and a point in its history. Every other state of the reverted or repeated joint edits goes to a
point in its own history at which the same joint edits are in effect.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple, TypeAlias

from msgspec import structs

from statefmt.analysis.diff import passages, scattered
from statefmt.context import RunContext
from statefmt.edit.operations.undo import EffectiveEdit, Point, Timeline, Undo, read_timeline, undo_to, unknown_undos
from statefmt.edit.operations_file.working_states import FileEdits
from statefmt.edit.pipeline import EditOptions, EditOutcome, surgical
from statefmt.edit.session import LoadedState, loaded
from statefmt.edit.transactions._participants import ApplyJournal, Participant
from statefmt.edit.transactions.plan import Intent, Pin, Staged, Staging, Write
from statefmt.edit.transactions.staging import FileOutcome, writes_in_order
from statefmt.model.errors import MissingStateError, StoreError
from statefmt.pieces import joined
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import HistoryEntry, JointEdit
from statefmt.text import printable, shell_line, shell_word

# Opens another state of an edit, by its location.
StateOpening: TypeAlias = Callable[[str, JointEdit], Participant]


class UndoneChange(NamedTuple):
    """The states of an undo: the named state, and all states to write, by their locations, in lock order.

    `id` identifies the undone edit or undo.
    """

    id: str
    named: Participant
    states: Mapping[str, Participant]
    undone: Mapping[str, UndoneState]

    @property
    def pins(self) -> dict[str, Pin]:
        """The condition that each state must meet."""
        return {location: one.pin for location, one in self.undone.items()}

    def intent(self, options: EditOptions) -> Intent:
        """Return the intent of the undo."""
        key, words = undo_key(self.id), ("undo", *self.named.words)
        change = checksum(key.encode())
        back_to = {location: one.undo.entry.number for location, one in self.undone.items()}
        return Intent(self.named.location, change, options, key, words, self.id, back_to)

    def staging(self, context: RunContext) -> Staging[dict[str, EditOutcome]]:
        """Return the function that stages the undo."""
        return undoing(context, self.undone)

    def outcome(self, outcomes: Mapping[str, EditOutcome]) -> FileOutcome:
        """Return the outcome by state name, since the states have no short names."""
        by_name = {self.states[location].store.name: one for location, one in outcomes.items()}
        return FileOutcome(by_name, FileEdits({name: one.edit for name, one in by_name.items()}))

    def changed(self, pin: Pin) -> StoreError:
        """Return the error for a state that does not meet its condition."""
        location = next(location for location, one in self.undone.items() if one.pin is pin)
        what = f"{_FOREIGN} {_described(self.undone[location].undo.last)}"
        return refused(self.states[location].store.name, what, _BY_HAND)


_FOREIGN = "something else has changed the state since"


def undo_key(change_id: str) -> str:
    """Return the key of the undo of a change, which is unlike any path."""
    return f"undo-{change_id}"


def undone_change(context: RunContext, named: Participant, undo: Undo, opening: StateOpening) -> UndoneChange:
    """Plan the undo of joint edits; `undo` is the undo of the named state, and `opening` opens the other states.

    Raises StoreError if another state has later edits of its own, or if its history lacks one of the edits.
    """
    if undo.foreign is not None:
        what = f"something else changed the state before edit {undo.foreign}, and this undo would discard that change"
        raise refused(undo.name, what, _BY_HAND)
    plan = _Plan(context, named, undo, opening)
    targets = plan.targets()
    undone: dict[str, UndoneState] = {}
    for location, point in targets.items():
        view = plan.views[location]
        if point is not None:
            one = undo if location == named.location else undo_to(view.state.store, view.timeline, point)
            undone[location] = UndoneState(one, Pin(stored=view.now))
    entry = undo.entry
    change_id = entry.joint.id if entry.joint else undo.joint[0].id
    states = {location: plan.views[location].state for location in undone}
    in_lock_order = dict(sorted(states.items(), key=lambda item: (item[0], item[1].identity)))
    return UndoneChange(change_id, named, in_lock_order, undone)


def begun_undo(journal: ApplyJournal, named: Participant, states: Mapping[str, Participant]) -> UndoneChange:
    """Return an unfinished undo, from its journal; states may have any content. Raises StoreError."""
    undone: dict[str, UndoneState] = {}
    for location, one in states.items():
        number = journal.states[location].undoes if location in journal.states else None
        if number is not None:
            found = read_timeline(one.store)
            entry = next((entry for entry in found.entries if entry.number == number), None)
            if entry is None:
                raise StoreError(f"{one.store.name}: the history has no edit {number} any more; nothing was written")
            undone[location] = UndoneState(undo_to(one.store, found, Point(entry, ())), Pin())
    return UndoneChange(journal.undoes, named, states, undone)


def refused(name: str, what: str, *ways: str) -> StoreError:
    """Return the error for an impossible undo of several states, with advice."""
    return StoreError(
        f"{printable(name)}: {what}, so the edit of several states cannot be undone in all of them; nothing was "
        "written",
        *(f". {way}" for way in ways),
    )


class _View(NamedTuple):
    """A state with its history, and the SHA-256 of its content."""

    state: Participant
    timeline: Timeline
    now: str

    @property
    def present(self) -> frozenset[str]:
        """The joint edits in effect."""
        return _joint(self.timeline.now)


class _Plan:
    """Chooses a point for each state; None leaves the state unchanged."""

    def __init__(self, context: RunContext, named: Participant, undo: Undo, opening: StateOpening) -> None:
        self.context, self.named, self.undo, self.opening = context, named, undo, opening
        self.unknown: frozenset[str] = unknown_undos(undo.timeline.entries)
        self.views = {named.location: _View(named, undo.timeline, undo.last.after)}
        # The edits that must be in effect afterwards (True), or must not (False).
        self.required: dict[str, bool] = {}
        self.joint: dict[str, JointEdit] = {}

    def targets(self) -> dict[str, Point | None]:
        """Return the point of each state of the edits. Raises StoreError."""
        after = _joint(self.undo.point.edits)
        targets: dict[str, Point | None] = {self.named.location: self.undo.point}
        waiting = list(map(self._here, self.undo.joint))
        for one in waiting:
            self.joint[one.id], self.required[one.id] = one, one.id in after
            self._refuse_copy(one)
        while waiting:
            one = waiting.pop(0)
            for location in one.written:
                if location in targets:
                    continue
                view = self._view(location, one)
                targets[location] = point = self._target(view)
                for further in self._taken_along(view, point):
                    self.joint[further.id] = further
                    self.required[further.id] = point is not None and further.id in _joint(point.edits)
                    waiting.append(further)
        for location, point in list(targets.items()):
            view = self.views[location]
            for changed in sorted(view.present ^ (view.present if point is None else _joint(point.edits))):
                self._refuse_half(view, changed, changed not in view.present, targets)
        return targets

    def _refuse_copy(self, joint: JointEdit) -> None:
        """Raise StoreError if the named state is not a state of an edit: its history was copied."""
        if not joint.writes or not all(0 <= place < len(joint.states) for place in joint.writes):
            raise refused(self.named.location, "its history does not say which states were written")
        if self.named.location not in joint.written:
            then = ", ".join(map(printable, joint.written))
            what = f"the edit was made when this state was one of {then}"
            raise refused(self.named.location, what, _BY_HAND)

    def _here(self, joint: JointEdit) -> JointEdit:
        """Return a joint edit with the current places of its states, if a folder with all of them was moved.

        Their own histories must have the edit, too, so other files are not mistaken for them.
        """
        if self.named.location in joint.written:
            return joint
        now, before = _roots(self.named.location, joint.written)

        def moved(state: str) -> str:
            return now + state.removeprefix(before) if before and state.startswith(f"{before}/") else state

        found = structs.replace(joint, states=tuple(map(moved, joint.states)))
        # The copy of a single state is not one of them.
        is_moved = all(os.path.lexists(place) for place in found.written if place.startswith("/"))
        return found if is_moved else joint

    def _view(self, location: str, joint: JointEdit) -> _View:
        if location in self.views:
            return self.views[location]
        state = self.opening(location, joint)
        if state.location != location:
            raise refused(location, f"the state is now {state.location}")
        try:
            now = checksum(state.store.read().data)
        except MissingStateError as error:
            raise self._missing(state) from error
        found = read_timeline(state.store, self.unknown)
        self.views[location] = _View(state, found, now)
        return self.views[location]

    def _target(self, view: _View) -> Point | None:
        """Return the point at which exactly the required edits are in effect; None for the current point.

        The state loses no edits of its own, unless the undo reverts an undo that repeats them.
        """
        here = view.state.location
        mine = {one: wanted for one, wanted in self.required.items() if here in self.joint[one].written}
        if any(view.timeline.joint(one) is None for one in mine):
            raise self._obstacle(view, mine)

        def fits(edits: Collection[EffectiveEdit]) -> bool:
            present = _joint(edits)
            return all((one in present) is wanted for one, wanted in mine.items())

        foreign = {step for step in view.timeline.now if step.is_foreign}
        if fits(view.timeline.now):
            return None
        points = [point for point in view.timeline.points if fits(point.edits) and foreign <= {*point.edits}]
        if (found := next((point for point in points if self._is_same(view, point)), None)) is not None:
            return found
        own = _own(view.timeline.now)
        points = [point for point in points if _own(point.edits) == own]
        if not points:
            raise self._obstacle(view, mine)
        others = view.present - self.required.keys()
        return min(
            points, key=lambda point: (len(others ^ (_joint(point.edits) - self.required.keys())), -point.number)
        )

    def _is_same(self, view: _View, point: Point) -> bool:
        """Return whether a state reverts the same edits as the named state, starting with the same edit."""
        first, back = _id_of(self.undo.entry), self.undo.timeline.later_than(self.undo.point.number)
        is_first = first != "" and _id_of(point.entry) == first
        return is_first and view.timeline.later_than(point.number) == back & view.timeline.later_than(0) - {""}

    def _taken_along(self, view: _View, point: Point | None) -> list[JointEdit]:
        """Return further edits that an undone undo repeats or reverts in all their states."""
        if point is None or not self._is_same(view, point):
            return []
        changed = (view.present ^ _joint(point.edits)) - self.required.keys()
        return [self._here(one) for one in map(view.timeline.joint, sorted(changed)) if one is not None]

    def _refuse_half(self, view: _View, joint_id: str, is_wanted: bool, targets: Mapping[str, Point | None]) -> None:
        """Raise StoreError if another edit would not be in effect in all or none of its states."""
        joint = view.timeline.joint(joint_id)
        assert joint is not None
        joint = self._here(joint)
        for location in joint.written:
            point = targets.get(location)
            other = self._view(location, joint)
            present = other.present if point is None else _joint(point.edits)
            # A history without the edit proves nothing.
            if (joint_id in present) is not is_wanted or other.timeline.joint(joint_id) is None:
                if not is_wanted:
                    raise self._later(view, next(step for step in view.timeline.now if step.joint_id == joint_id))
                again = next(point.entry for point in view.timeline.points if _id_of(point.entry) == joint_id)
                raise refused(view.state.store.name, f"{_described(again)} would be made again", _BY_HAND)

    def _obstacle(self, view: _View, mine: Mapping[str, bool]) -> StoreError:
        """Return the error that names the edit which keeps a state from its target."""
        name, found = view.state.store.name, view.timeline
        if any(found.joint(one) is None for one in mine):
            return refused(name, "the history of this state does not have the edit", self._elsewhere(view.state, mine))
        numbers = [step.number for step in found.now if step.joint_id in mine and not mine[step.joint_id]]
        later = [step for step in found.now if step.joint_id not in mine and step.number > min(numbers, default=-1)]
        foreign = next((step for step in later if step.is_foreign), None)
        if foreign is not None:
            before = [entry for entry in found.entries if entry.number < foreign.number]
            what = _described(before[-1]) if before else "its first edit"
            return refused(name, f"{_FOREIGN} {what}", _BY_HAND)
        if numbers and later:
            return self._later(view, later[0])
        return refused(name, "the change was taken back in this state, or is not all in its history", _BY_HAND)

    def _later(self, view: _View, step: EffectiveEdit) -> StoreError:
        """Return the error that names a later edit of another state, and how to undo it first."""
        entry = next(entry for entry in view.timeline.entries if entry.number == step.number)
        way = shell_line(("statetool", "undo", "--to", str(step.number), *view.state.words))
        return refused(view.state.store.name, f"{_described(entry)} came after the change", f"Undo that first: `{way}`")

    def _missing(self, state: Participant) -> StoreError:
        """Return the error for a deleted state, without which an undo could lose objects."""
        here, what = printable(self.named.store.name), "there is no such state any more"
        steps = [step for step in self.undo.timeline.now if step not in self.undo.point.edits]
        if len(steps) > 1:
            last = shell_line(("statetool", "undo", "--to", str(steps[-1].number), *self.named.words))
            return refused(state.store.name, what, f"Undo one edit after the other: `{last}`")
        lost = self._lost_objects()
        if lost:
            move = ("statetool", "mv", "--from-state", self.named.words[1], "--to-state", state.words[1])
            ways = [shell_line((*move, *(() if number else ("--create",)), one)) for number, one in enumerate(lost)]
            more = " and so on" if len(ways) > _MOST else ""
            listed = ", ".join(f"`{way}`" for way in ways[:_MOST])
            return refused(state.store.name, what, f"Move the objects there instead: {listed}{more}")
        number = str(self.undo.entry.number)
        way = shell_line(("statetool", "undo", "--only", "--to", number, *self.named.words))
        way = f"If it was deleted with all its objects, `{way}` undoes the edit in {here}"
        return refused(state.store.name, what, way)

    def _lost_objects(self) -> list[str]:
        """Return the addresses of the objects that the undo removes from the named state."""
        name = self.named.store.name
        before = loaded(self.context, name, self.named.store.read().data).result.snapshot
        after = self.undo.edit(self.context, before).snapshot
        return [str(addr) for addr, _ in scattered({name: before}, {name: after}).lost]

    def _elsewhere(self, state: Participant, mine: Mapping[str, bool]) -> str:
        """Return advice if the history of another state lacks an edit: the history may be on another machine."""
        made = [entry for entry in self.undo.timeline.entries if _id_of(entry) in mine]
        if not (made and state.is_remote):
            return _BY_HAND
        user, home = made[0].user, made[0].joint.home if made[0].joint else ""
        is_here = user == self.context.user() and home == str(self.context.connection().state_home)
        return _BY_HAND if is_here else made_elsewhere(user, home)


# In commands that move objects.
_MOST = 3
_BY_HAND = (
    "`statetool history` lists what statetool did to each state. Move the objects back instead: "
    "`statetool mv --from-state STATE --to-state STATE ADDRESS`"
)


def _roots(location: str, states: Collection[str]) -> tuple[str, str]:
    """Return the folders above the common end of the path of a state and of one of `states`; "" if none matches."""

    def alike(state: str) -> int:
        pairs = zip(reversed(location.split("/")), reversed(state.split("/")), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    counts = {state: alike(state) for state in states if state.startswith("/")}
    best = [state for state, count in counts.items() if count and count == max(counts.values())]
    if len(best) != 1:
        return "", ""
    count = counts[best[0]]
    return "/".join(location.split("/")[:-count]), "/".join(best[0].split("/")[:-count])


def made_elsewhere(user: str, home: str) -> str:
    """Return a sentence about the place where an edit can be undone; `home` is statetool's folder there, if known."""
    folder = f" with XDG_STATE_HOME={shell_word(printable(str(Path(home).parent)))}" if home else ""
    return f"{printable(user)} made the edit, and can undo it{folder}"


def _id_of(entry: HistoryEntry) -> str:
    return entry.joint.id if entry.joint else ""


def _joint(edits: Collection[EffectiveEdit]) -> frozenset[str]:
    return frozenset(step.joint_id for step in edits if step.joint_id)


def _own(edits: Collection[EffectiveEdit]) -> list[EffectiveEdit]:
    return [step for step in edits if not step.joint_id]


def _described(entry: HistoryEntry) -> str:
    return f"edit {entry.number} ({printable(entry.command)})"


class UndoneState(NamedTuple):
    """A state to undo: the target point, and the condition until then."""

    undo: Undo
    pin: Pin


def undoing(context: RunContext, states: Mapping[str, UndoneState]) -> Staging[dict[str, EditOutcome]]:
    """Return a function that stages the undo of states, by their names.

    Objects arrive in one state before they leave another, so that every object is always in a state.
    """

    def stage(loaded: Mapping[str, LoadedState]) -> Staged[dict[str, EditOutcome]]:
        outcomes: dict[str, EditOutcome] = {}
        contents: dict[str, Write] = {}
        for name, state in loaded.items():
            proposal = surgical(partial(states[name].undo.edit, context))(state)
            outcomes[name] = proposal.outcome
            contents[name] = Write(name, joined(state.data, proposal.pieces))
        went = passages(
            {name: one.changes for name, one in outcomes.items()},
            {name: one.edit.snapshot for name, one in outcomes.items()},
        )
        flows = {(one.other, name) for name, found in went.items() for one in found.received.values()}
        arrived = {name: found.received.keys() for name, found in went.items()}
        return Staged(tuple(writes_in_order(loaded, flows, outcomes, contents, arrived)), outcomes)

    return stage
