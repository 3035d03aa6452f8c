"""Laws 1 and 2 of the design over generated states: nothing is lost, and canonical text is canonical."""

from __future__ import annotations

from hypothesis import given

import statefmt
from statefmt.formats import Layout, Style
from statefmt.formats.writing import canonical
from tests.property.json_text import as_go_writes_raw
from tests.property.strategies import UNKNOWN, StateText, states


@given(states())
def test_generated_states_are_accepted(state: StateText) -> None:
    assert statefmt.read(state.data).version == 4


@given(states())
def test_an_untouched_state_is_written_byte_for_byte(state: StateText) -> None:
    assert statefmt.write(statefmt.read(state.data).snapshot, canonical=False) == state.data


@given(states())
def test_canonical_text_is_a_fixed_point(state: StateText) -> None:
    text = statefmt.write(statefmt.read(state.data).snapshot)
    again = statefmt.read(text)
    assert statefmt.write(again.snapshot) == text
    assert canonical(again.snapshot, again.style) == text


@given(states())
def test_canonical_text_with_what_is_unknown_is_a_fixed_point(state: StateText) -> None:
    text = canonical(statefmt.read(state.data).snapshot, keep_unknown=True)
    assert canonical(statefmt.read(text).snapshot, keep_unknown=True) == text


@given(states())
def test_attributes_keep_their_text(state: StateText) -> None:
    """Numbers, escapes, order and repeated members: Go changes white space and HTML characters only."""
    compact = canonical(statefmt.read(state.data).snapshot, Style(Layout.COMPACT)).decode()
    for block in state.blocks:
        for _, attributes in block.instances:
            if attributes:
                assert f'"attributes":{as_go_writes_raw(attributes)},"sensitive_attributes"' in compact


@given(states())
def test_unknown_members_are_kept_on_request_and_dropped_by_default(state: StateText) -> None:
    snapshot = statefmt.read(state.data).snapshot
    kept = canonical(snapshot, keep_unknown=True).decode()
    assert [f'"{UNKNOWN}{number + 1}": ' in kept for number in range(state.unknown)] == [True] * state.unknown
    assert UNKNOWN.encode() not in statefmt.write(snapshot)


@given(states())
def test_unknown_members_are_told_of(state: StateText) -> None:
    told = [finding for finding in statefmt.read(state.data).findings if finding.summary == "Unknown member in state"]
    assert len(told) == state.unknown
