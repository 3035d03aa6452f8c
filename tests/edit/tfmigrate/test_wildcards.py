"""The wildcards of `xmv`: what Go's regular expressions match and fill in."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, strategies as st

from statefmt.edit.tfmigrate import WildcardMatch, filled, matched
from statefmt.model.errors import SurgeryError

# Pattern, destination, address and result, from tfmigrate's `xmv_expander_test.go`.
RECORDED = [
    ("null_resource.*", 'module.example["$1"].this', "null_resource.foo", 'module.example["foo"].this'),
    (
        'module.example1["*"].this', 'module.example2["$1"].this', 'module.example1["foo"].this',
        'module.example2["foo"].this',
    ),
    (
        'module["*"].null_resource.*', 'module["$2"].null_resource.$1', 'module["bar"].null_resource.foo',
        'module["foo"].null_resource.bar',
    ),
    ("*", "$1", "null_resource.foo", "null_resource.foo"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target", "address", "expected"), RECORDED)
def test_recorded(source: str, target: str, address: str, expected: str) -> None:
    found = matched(source, address)
    assert found is not None
    assert (found.text, filled(target, found)) == (address, expected)


def test_nothing_matches() -> None:
    assert matched("null_resource.*", "time_static.foo") is None


@given(source=st.text("ab*", max_size=8).map(lambda text: f"{text}*"), address=st.text("ab.", max_size=12))
@example(source="a**b*", address="aabb")
@example(source="b*a*", address="abab.a")
def test_it_matches_as_a_regular_expression_does(source: str, address: str) -> None:
    expected = re.search("(.*)".join(map(re.escape, source.split("*"))), address)
    found = matched(source, address)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert (found.text, found.start, found.values) == (expected[0], expected.start(), expected.groups())


def test_many_wildcards_take_no_more_time() -> None:
    # A regular expression would try for years.
    assert matched("*a" * 40 + "b", "a" * 100_000) is None


MATCH = WildcardMatch("a.b", 0, ("b", "c"))


@pytest.mark.parametrize(
    ("target", "expected"),
    [("$1", "b"), ("${1}2", "b2"), ("$2.$1", "c.b"), ("$0", "a.b"), ("$$1", "$1"), ("a$.b$", "a$.b$"), ("${", "${")],
)
def test_filled(target: str, expected: str) -> None:
    assert filled(target, MATCH) == expected


@pytest.mark.parametrize("target", ["$3", "$1x", "${name}", "$1_a"])
def test_what_tfmigrate_leaves_empty_is_refused(target: str) -> None:
    with pytest.raises(SurgeryError, match="is not a wildcard of the source"):
        filled(target, MATCH)
