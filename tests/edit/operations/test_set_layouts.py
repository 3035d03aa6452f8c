"""`set` in states of any layout: one value differs, and what it was before makes it the same file again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hypothesis import assume, given, strategies as st

from statefmt.edit.operations.set import Assignment, set_attributes
from statefmt.formats.reading import read
from statefmt.formats.writing.write import write
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.model.snapshot import InstanceState, Snapshot, instances
from tests.property.strategies import StateText, states

Steps = tuple[str | int, ...]


def scalars(value: JSONValue, steps: Steps = ()) -> Iterator[tuple[Steps, str]]:
    """The paths to values that can be written in one way only, and their text; no names that repeat on the way."""
    if isinstance(value, Members):
        if len(dict(value)) == len(value):
            for name, item in value:
                yield from scalars(item, (*steps, name))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from scalars(item, (*steps, place))
    elif value is None or isinstance(value, bool):
        yield steps, {True: "true", False: "false", None: "null"}[value]
    elif isinstance(value, NumberText):
        yield steps, value
    elif re.fullmatch("[A-Za-z0-9 ]*", value):
        yield steps, f'"{value}"'


def editable(state: StateText, snapshot: Snapshot) -> list[tuple[InstanceState, Steps, str]]:
    """What can be set without anything else of its resource being written anew."""
    return [
        (instance, steps, text)
        for instance in instances(snapshot)
        for obj in instance.objects
        if obj.is_current and obj.attributes is not None and obj.origin
        if state.blocks[obj.origin[0]].plain and obj == instance.current
        for steps, text in scalars(loads_exact(bytes(obj.attributes), replace_invalid=True))
        if steps
    ]


@given(st.data())
def test_there_and_back_again(data: st.DataObject) -> None:
    state = data.draw(states())
    before = read(state.data).snapshot
    found = editable(state, before)
    assume(found)
    instance, steps, old = data.draw(st.sampled_from(found))
    new = data.draw(st.sampled_from(['"new"', "-0.00e7", "false", "7" * 40]))

    def changed(snapshot: Snapshot, value: str) -> bytes:
        chosen = [other for other in instances(snapshot) if other.addr == instance.addr]
        assignment = Assignment("a value", steps, value.encode())
        edit = set_attributes(snapshot, chosen, (), [assignment], force_type=True)
        return write(edit.snapshot, canonical=False)

    there = changed(before, new)
    # What stands before the value and after it, however that is laid out.
    assert len(there) - len(state.data) == len(new) - len(old)
    assert new.encode() in there
    assert changed(read(there).snapshot, old) == state.data
