"""A state is written after those that objects go to from it; a circle begins with what arrives in one of its states."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from statefmt.edit.transactions.staging import OrderedWrite, write_order


@pytest.mark.parametrize(
    ("flows", "order"),
    [
        ("", "a b c"),
        ("ab", "b a c"),
        ("ab bc", "c b a"),
        ("ab ba", "c a+ b a"),
        ("ba ac cb", "a+ b c a"),
        # Two circles that share a state need one write more, not two.
        ("ab ba ac ca", "a+ b c a"),
        ("aa", "a b c"),
    ],
)
def test_order(flows: str, order: str) -> None:
    found = write_order("abc", {(flow[0], flow[1]) for flow in flows.split()})
    assert [write.state + "+" * write.only_arrives for write in found] == order.split()


@given(st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))))
def test_objects_arrive_before_they_leave(flows: set[tuple[str, str]]) -> None:
    order = write_order("abcdef", flows)
    assert sorted(write.state for write in order if not write.only_arrives) == list("abcdef")
    for source, target in flows:
        left = order.index(OrderedWrite(source))
        assert source == target or target in {write.state for write in order[:left]}
    for one, other in pairwise(order):
        assert one.state != other.state
