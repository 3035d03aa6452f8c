"""`fmt`: canonical form in the file's own style."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import COMPACT, HAND_EDITED, HAND_EDITED_COMPACT, INDENTED, SAMPLES, V3, recorded
from tests.tables import each_row

Tree = Callable[[], dict[str, bytes]]

# Options, what the file holds, and what it holds then.
CASES = [
    ("", INDENTED, INDENTED),
    ("", INDENTED + b"\n", INDENTED + b"\n"),
    ("", INDENTED[:-1], INDENTED),
    ("", INDENTED.replace(b"\n", b"\r\n"), INDENTED),
    ("", INDENTED.replace(b"  ", b"\t"), INDENTED),
    ("", COMPACT, COMPACT),
    ("", COMPACT[:-1], COMPACT),
    ("", HAND_EDITED, INDENTED),
    ("", HAND_EDITED_COMPACT, COMPACT),
    ("--style keep", HAND_EDITED, INDENTED),
    ("--style keep", HAND_EDITED_COMPACT, COMPACT),
    ("--style indent", HAND_EDITED_COMPACT, INDENTED),
    ("--style indent", COMPACT, INDENTED),
    ("--style indent", INDENTED, INDENTED),
    ("--style compact", HAND_EDITED, COMPACT),
    ("--style compact", INDENTED, COMPACT),
    ("--style compact", COMPACT, COMPACT),
]


@each_row(("option", "given", "expected"), CASES)
def test_written(option: str, given: bytes, expected: bytes, statetool: Statetool) -> None:
    Path("state").write_bytes(given)
    result = statetool("fmt", *option.split(), "state")
    assert (result.status, result.out) == (0, b"")
    assert Path("state").read_bytes() == expected
    assert statetool("fmt", *option.split(), "state") == (0, b"", "")


@each_row(("option", "given", "expected"), CASES)
def test_stdout(option: str, given: bytes, expected: bytes, statetool: Statetool, tree: Tree) -> None:
    Path("state").write_bytes(given)
    result = statetool("fmt", *option.split(), "--stdout", "state")
    assert (result.status, result.out) == (0, expected)
    assert tree() == {"state": given}


@each_row(("option", "given", "expected"), CASES)
def test_check(option: str, given: bytes, expected: bytes, statetool: Statetool, tree: Tree) -> None:
    Path("state").write_bytes(given)
    expected_result = (0, b"", "") if given == expected else (1, b"state\n", "")
    assert statetool("fmt", *option.split(), "--check", "state") == expected_result
    assert tree() == {"state": given}


@pytest.mark.parametrize("case", ["provider-binding/001", "instances/002", "attributes-fidelity/014", "outputs/099"])
def test_as_opentofu_does(case: str, statetool: Statetool) -> None:
    Path("state").write_bytes(recorded(case).input)
    assert statetool("fmt", "--style", "indent", "--stdout", "state").text == recorded(case).output.decode()


@pytest.mark.parametrize("option", [[], ["--check"], ["--stdout"]], ids=" ".join)
def test_older_format_is_refused_with_the_way_out(option: list[str], statetool: Statetool, tree: Tree) -> None:
    Path("state").write_bytes(V3)
    result = statetool("fmt", *option, "state")
    assert (result.status, result.out) == (2, b"")
    assert "state: this state has format version 3" in result.err
    assert result.err.endswith("\n  statetool upgrade --in-place state\n")
    assert tree() == {"state": V3}


def test_the_way_out(statetool: Statetool) -> None:
    Path("state").write_bytes(V3)
    assert statetool("upgrade", "--in-place", "state").status == 0
    assert statetool("fmt", "--check", "state") == (0, b"", "")


def test_drop_unknown(statetool: Statetool) -> None:
    """Without the option there is nothing to do, and with it the members are gone."""
    Path("state").write_bytes((SAMPLES / "v4-newer-release.tfstate").read_bytes())
    assert statetool("fmt", "--check", "state").status == 0
    assert statetool("fmt", "--check", "--drop-unknown", "state").status == 1
    assert statetool("fmt", "--drop-unknown", "state").status == 0
    assert b"deferred_actions" not in Path("state").read_bytes()
