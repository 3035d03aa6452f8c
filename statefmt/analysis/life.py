"""Follows the instances and outputs of a state from version to version, through renames.

A life is an instance from its creation to its removal, at all addresses that it had.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import InstanceChange, MemberChange, SnapshotDiff
from statefmt.analysis.diff.places import Crossing
from statefmt.analysis.diff.values import Comparing, details
from statefmt.analysis.selection import Criteria, select
from statefmt.golang import Members
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import InstanceState, Snapshot, instances
from statefmt.redaction.attribute_values import look_up
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import decoded, parse_path, path_text


class EventKind(StrEnum):
    """What happened to an instance or an output. `PRESENT` is for those of the first available version."""

    PRESENT = "present"
    CREATED = "created"
    MOVED = "moved"
    REBOUND = "rebound"
    CHANGED = "changed"
    TAINTED = "tainted"
    UNTAINTED = "untainted"
    DEPOSED = "deposed"
    DEPOSED_REMOVED = "deposed-removed"
    REMOVED = "removed"


class Event(Struct, frozen=True):
    """One change of an instance, or of an output, whose address is `output.NAME`.

    `old` and `new` are the addresses of a move, the provider instances of a rebinding, or the key of a deposed object.
    `paths` are the changed attributes of the current object, each up to a sensitive part, and "" for all of them;
    `members` name other changed members, and those of deposed objects. `life` is the number of the instance's life,
    None for an output.
    """

    kind: EventKind
    address: str
    old: str = ""
    new: str = ""
    paths: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    life: int | None = None

    def touches(self, path: str) -> bool:
        """Return whether an attribute at this path, or a part of it, may have another value since."""
        return any(is_within(one, path) or is_within(path, one) for one in self.paths)


def is_within(path: str, other: str) -> bool:
    """Return whether a path is that of another value or of a part of it; "" is all attributes."""
    rest = path.removeprefix(other)
    return not other or path == other or (path.startswith(other) and rest[0] in ".[")


# Members that an event of their own reports.
_REPORTED: Final = frozenset({"provider", "status"})


class Lives:
    """The lives in the versions passed to `follow`, oldest first, and which of them meet the criteria at any time."""

    def __init__(self, criteria: Criteria) -> None:
        self._criteria = criteria
        self._comparing = Comparing()
        self._count = 0
        # The latest life at each address.
        self.current: dict[AbsResourceInstance, int] = {}
        self.chosen: set[int] = set()
        self.first: dict[int, str] = {}

    def begin(self, snapshot: Snapshot) -> None:
        """Take the first version."""
        found = instances(snapshot)
        for instance in found:
            self.current[instance.addr] = self._new()
            self.first[self.current[instance.addr]] = str(instance.addr)
        self._choose(found)

    def follow(self, old: Snapshot, new: Snapshot) -> tuple[Event, ...]:
        """Take the next version, and return what changed."""
        changes = diff(old, new)
        former = {one.old.addr: self.current.pop(one.old.addr) for one in changes.instances if _leaves(one) and one.old}
        events: list[Event] = []
        for change in changes.instances:
            if change.new is None:
                assert change.old is not None
                life = former[change.old.addr]
            elif change.old is None:
                life = self.current[change.new.addr] = self._new()
            elif change.is_moved:
                life = self.current[change.new.addr] = former[change.old.addr]
            else:
                life = self.current[change.new.addr]
            events += self._events(change, life)
        self._choose([one.new for one in changes.instances if one.new is not None])
        return (*events, *_outputs(changes))

    def _new(self) -> int:
        self._count += 1
        return self._count

    def _choose(self, found: Sequence[InstanceState]) -> None:
        if not found:
            return
        try:
            met = select(found, self._criteria)
        except SelectionError:
            # Others of this or another version may meet them.
            return
        self.chosen.update(self.current[instance.addr] for instance in met)

    def _events(self, change: InstanceChange, life: int) -> Iterator[Event]:
        address = str(change.addr)
        if change.old is None or change.new is None:
            yield Event(EventKind.CREATED if change.old is None else EventKind.REMOVED, address, life=life)
            return
        if change.is_moved:
            yield Event(EventKind.MOVED, address, str(change.old.addr), address, life=life)
        if change.rebound is not None:
            before, now = change.rebound
            yield Event(EventKind.REBOUND, address, str(before or ""), str(now or ""), life=life)
        for member in change.members:
            if member.name == "status":
                kind = EventKind.TAINTED if member.new else EventKind.UNTAINTED
                yield Event(kind, address, new=member.deposed, life=life)
        gone = [obj for obj in change.objects if obj.new is None]
        for obj in change.objects:
            if obj.deposed:
                kind = EventKind.DEPOSED_REMOVED if obj in gone else EventKind.DEPOSED
                yield Event(kind, address, new=obj.deposed, life=life)
        changed = [one for one in change.members if one.name not in _REPORTED]
        paths = [path for one in changed if _has_attributes(one) for path in self._paths(change, one)]
        paths += ["" for obj in change.objects if not obj.deposed]
        members = [_member_text(one) for one in changed if not _has_attributes(one)]
        if paths or members:
            yield Event(
                EventKind.CHANGED, address, paths=tuple(dict.fromkeys(paths)), members=tuple(members), life=life
            )

    def _paths(self, change: InstanceChange, member: MemberChange) -> Iterator[str]:
        for one in details(change, member, self._comparing):
            yield path_text([step for step in one.path if not isinstance(step, Crossing)])


def _has_attributes(member: MemberChange) -> bool:
    return not member.deposed and member.name in ("attributes", "attributes_flat")


def _member_text(member: MemberChange) -> str:
    return f"{member.name} of deposed object {member.deposed}" if member.deposed else member.name


def _leaves(change: InstanceChange) -> bool:
    return change.is_moved or change.new is None


def _outputs(changes: SnapshotDiff) -> Iterator[Event]:
    for change in changes.outputs:
        kind = (
            EventKind.CREATED if change.old is None else EventKind.REMOVED if change.new is None else EventKind.CHANGED
        )
        yield Event(kind, f"output.{change.name}")


class BlamedPath(Struct, frozen=True):
    """An attribute, and the place in a list of versions of the one that last changed it."""

    path: str
    place: int
    event: Event


def blamed(history: Sequence[Iterable[Event]], life: int, paths: Sequence[str]) -> list[BlamedPath]:
    """Return the last change of each attribute of an instance; `history` has the events of each version, oldest first.

    Everything begins with the creation of the instance, or with the first available version.
    """
    beginnings = (EventKind.CREATED, EventKind.PRESENT)
    own = [(place, event) for place, events in enumerate(history) for event in events if event.life == life]
    own.reverse()
    found: list[BlamedPath] = []
    for path in paths:
        place, event = next(one for one in own if one[1].kind in beginnings or one[1].touches(path))
        found.append(BlamedPath(path, place, event))
    return found


def attribute_paths(instance: InstanceState, path: str | None) -> list[str]:
    """Return the paths of all attributes of an instance, or only the given one. Raises SelectionError if it is missing.

    Of an instance with only deposed objects, there are none.
    """
    obj = instance.current
    type_name = instance.resource.addr.resource.type
    value = None if obj is None else decoded(attributes_value(obj, type_name, show_sensitive=True))
    if path is None:
        return [path_text([name]) for name in (dict(value) if isinstance(value, Members) else {})]
    steps = parse_path(path)
    look_up(value, steps)
    return [path_text(steps)]
