"""Offers choices for instances and deposed objects that a state has more than once (ADR002)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statefmt.edit.repairs.creation import newest
from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import RESOURCES, LooseState
from statefmt.edit.repairs.new_keys import new_deposed_key, new_instance_key
from statefmt.edit.repairs.offers.legacy import renaming
from statefmt.edit.repairs.shown_id import shown_id
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding


def duplicate_instance_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep one of the objects and forget the others, or give the first or the last another key."""
    if path[0] != RESOURCES:
        yield from _of_old_format(state, path, finding.address)
        return
    objects = [one.path for one in state.objects_like(path)]

    def keep(name: str, kept: JsonPath) -> Choice:
        return Choice(name, _kept(state, kept, objects), lambda _: _without(objects, kept))

    yield keep("keep=first", objects[0])
    yield keep("keep=last", objects[-1])
    latest = newest(state, objects)
    if latest is not None:
        yield keep("keep=newest", latest)
    yield Choice(
        "keep=id",
        "keep the object with this id and forget the others",
        lambda given: _without(objects, _with_id(state, objects, given)),
        "ID",
    )
    if len(objects) > 2:
        yield Choice(
            "forget=id",
            "forget the object with this id; the real object continues to exist",
            lambda given: {_with_id(state, objects, given): None},
            "ID",
        )
    yield from _renamings(state, objects)


def _of_old_format(state: LooseState, path: JsonPath, address: str) -> Iterator[Choice]:
    """Offer the same choices for module entries in states of versions 1 to 3."""
    entries = state.old_entries(address)
    yield Choice("keep=first", "keep the first entry and forget the others", lambda _: _without(entries, entries[0]))
    yield Choice("keep=last", "keep the last entry and forget the others", lambda _: _without(entries, entries[-1]))
    yield renaming(state, path)


def _renamings(state: LooseState, objects: Sequence[JsonPath]) -> Iterator[Choice]:
    """Offer another key for one object, which must be free."""
    is_deposed = bool(state.string((*objects[0], "deposed")))
    what, value = ("deposed key", "KEY") if is_deposed else ('key: a number, or a string as "a"', "JSON")
    write = new_deposed_key if is_deposed else new_instance_key
    first, last = objects[0], objects[-1]
    yield Choice("rename", f"give the last object this {what}", lambda given: write(state, last, given), value)
    yield Choice("rename-first", f"give the first object this {what}", lambda given: write(state, first, given), value)


def _without(objects: Sequence[JsonPath], kept: JsonPath) -> dict[JsonPath, bytes | None]:
    return {one: None for one in objects if one != kept}


def _with_id(state: LooseState, objects: Sequence[JsonPath], given: str) -> JsonPath:
    found = [one for one in objects if state.object_id(one) == given]
    if len(found) != 1:
        raise SurgeryError(f"{len(found)} of the {len(objects)} objects have this id")
    return found[0]


def _kept(state: LooseState, kept: JsonPath, objects: Sequence[JsonPath]) -> str:
    """Say which object stays, and which ones are forgotten."""
    others = [one for one in objects if one != kept]
    if len(others) == 1:
        forgotten = f"forget {_called(state, others[0], 'the other')}"
    else:
        forgotten = f"forget the {len(others)} others"
    return f"keep {_called(state, kept, 'it')} and {forgotten}; the real objects continue to exist"


def _called(state: LooseState, one: JsonPath, otherwise: str) -> str:
    named = shown_id(state, one)
    return f"the object with the id {named}" if named else otherwise
