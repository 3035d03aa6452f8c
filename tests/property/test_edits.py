"""An edited snapshot is written with its changes, and with the bytes of all that was not touched."""

from __future__ import annotations

from hypothesis import given, strategies as st
from msgspec.structs import replace

import statefmt
from statefmt.formats.writing import canonical
from statefmt.model.provider_binding import lower
from statefmt.model.snapshot import Snapshot
from tests.property.edits import edited
from tests.property.strategies import StateText, states


@st.composite
def _edits(draw: st.DrawFn) -> tuple[StateText, Snapshot, Snapshot]:
    state = draw(states())
    before = statefmt.read(state.data).snapshot
    return state, before, edited(draw, before)


@given(_edits())
def test_what_was_edited_reads_back(case: tuple[StateText, Snapshot, Snapshot]) -> None:
    _, _, after = case
    again = statefmt.read(statefmt.write(after, canonical=False)).snapshot
    assert statefmt.write(again) == statefmt.write(after)
    # An unknown member stays at its neighbours, and those may be others now.
    assert _lines(canonical(again, keep_unknown=True)) == _lines(canonical(after, keep_unknown=True))


def _lines(text: bytes) -> list[bytes]:
    """The lines of an indented text, in no order."""
    return sorted(line.rstrip(b",") for line in text.splitlines())


@given(_edits())
def test_what_was_not_edited_keeps_its_bytes(case: tuple[StateText, Snapshot, Snapshot]) -> None:
    state, before, after = case
    text = statefmt.write(after, canonical=False).decode()
    old_objects = {obj.origin: obj for resource in before.resources for obj in resource.objects}
    for resource in after.resources:
        blocks = [state.blocks[number] for number in resource.origin]
        if resource in before.resources:
            assert [block.text in text for block in blocks] == [True] * len(blocks)
        if not blocks or any(block.spread for block in blocks):
            continue  # A new block, or one made of several, is written anew.
        own = bool(lower(resource).instance_level)
        for obj in resource.objects:
            if obj.origin is None:
                continue
            block = state.blocks[obj.origin[0]]
            instance = block.instances[obj.origin[1]]
            if obj.attributes == old_objects[obj.origin].attributes:
                assert instance.attributes in text
            if obj == old_objects[obj.origin] and block.plain and not own:
                assert instance.text in text


@given(states())
def test_equal_values_are_no_edit(state: StateText) -> None:
    before = statefmt.read(state.data).snapshot
    copied = tuple(
        replace(resource, objects=tuple(replace(obj) for obj in resource.objects)) for resource in before.resources
    )
    assert statefmt.write(replace(before, resources=copied), canonical=False) == state.data
