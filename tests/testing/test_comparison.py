"""States are compared by what they mean, and a difference is printed as `statetool diff` prints it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

import statefmt
from statefmt.testing import FakeResource, as_state, assert_same_state, make_state
from tests.cli.conftest import Statetool

_OLD: Final = make_state(
    [FakeResource("aws_vpc.main", {"cidr": "10.0.0.0/16", "password": "hunter2"}, sensitive=["password"]), "a.b"],
    {"vpc": "vpc-1"},
)
_NEW: Final = make_state(
    [
        FakeResource(
            "aws_vpc.main", {"cidr": "10.1.0.0/16", "password": "s3cret"}, sensitive=["password"], tainted=True
        ),
        FakeResource(
            "a.c", {"id": json.loads(make_state(["a.b"]))["resources"][0]["instances"][0]["attributes"]["id"]}
        ),
    ],
    {"vpc": "vpc-2"},
    serial=2,
)


def test_layout_and_order_make_no_difference() -> None:
    document = json.loads(_OLD)
    document["resources"].reverse()
    other = json.dumps(document).encode()
    assert other != _OLD
    assert as_state(other) == as_state(_OLD)
    assert_same_state(other, _OLD, ignore=())
    assert_same_state(statefmt.read(other).snapshot, _OLD, ignore=())


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (make_state(["a.b"], serial=2), "serial"),
        (make_state(["a.b"], lineage="x"), "lineage"),
        (make_state(["a.b"], terraform_version="1.9.0"), "terraform_version"),
        (make_state([FakeResource("a.b", tainted=True)]), "tainted"),
        (make_state([FakeResource("a.b", schema_version=1)]), "schema"),
        (make_state([FakeResource("a.b", dependencies=["a.c"])]), "dependencies"),
        (make_state(["a.b"], {"o": 1}), "outputs"),
        (make_state(["a.b", "a.c"]), "added"),
    ],
)
def test_each_difference_counts_unless_it_is_ignored(other: bytes, name: str) -> None:
    old = make_state(["a.b"])
    assert as_state(old) != as_state(other)
    with pytest.raises(AssertionError, match="the states differ:"):
        assert_same_state(old, other, ignore=())
    assert_same_state(old, other, ignore=[name])


def test_the_serial_is_ignored_unless_it_is_asked_for() -> None:
    assert_same_state(make_state(serial=1), make_state(serial=2))


def test_the_message_is_that_of_diff_and_has_no_secrets(
    statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "old.tfstate").write_bytes(_OLD)
    (folder / "new.tfstate").write_bytes(_NEW)
    printed = statetool("diff", "old.tfstate", "new.tfstate")
    with pytest.raises(AssertionError) as failed:
        assert_same_state(_OLD, _NEW, ignore=())
    assert f"{failed.value}\n" == f"the states differ:\n{printed.text}"
    assert "a.b to a.c" in printed.text
    assert "hunter2" not in str(failed.value)


def test_an_unknown_name_to_ignore_is_refused() -> None:
    with pytest.raises(ValueError, match="lineage"):
        assert_same_state(_OLD, _OLD, ignore=("nothing",))


def test_a_string_is_not_several_names_to_ignore() -> None:
    with pytest.raises(TypeError, match=r"ignore must be Collection\[str\], not str"):
        assert_same_state(_OLD, _OLD, ignore="serial")


def test_what_is_not_a_state_is_refused() -> None:
    with pytest.raises(statefmt.StateError):
        as_state(b"{}")


def test_only_states_can_be_equal() -> None:
    state = as_state(_OLD)
    assert (state == _OLD, state == as_state(_OLD)) == (False, True)
    assert repr(state) == "<state with serial 1 and 2 resources>"
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)
