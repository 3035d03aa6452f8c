"""Several states at once: the worst exit status counts, and what can be told of the others is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import HAND_EDITED, INDENTED, SAMPLES, V3

DUPLICATE = (SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes()
STATES = {"good": INDENTED, "edited": HAND_EDITED, "duplicate": DUPLICATE, "truncated": INDENTED[:50], "v3": V3}


@pytest.fixture(autouse=True)
def states(folder: Path) -> None:
    for name, content in STATES.items():
        (folder / name).write_bytes(content)
    (folder / "empty").mkdir()


# Exit status, the files, and those that something is found in.
CHECKED = [
    (0, "good good", []),
    (1, "good duplicate", ["duplicate"]),
    (1, "duplicate good", ["duplicate"]),
    (2, "truncated duplicate", ["truncated", "duplicate"]),
    (2, "duplicate truncated good", ["duplicate", "truncated"]),
    (2, "missing duplicate", ["duplicate"]),
    (2, "duplicate missing", ["duplicate"]),
    (2, "duplicate empty", ["duplicate"]),
    (2, "empty duplicate", ["duplicate"]),
    (2, "duplicate nothing*", ["duplicate"]),
    (2, "/dev/null duplicate", ["duplicate"]),
]


@pytest.mark.parametrize(("status", "names", "found"), CHECKED)
def test_check(status: int, names: str, found: list[str], statetool: Statetool) -> None:
    result = statetool("check", "--format", "json", *names.split())
    assert result.status == status
    assert [file["path"] for file in json.loads(result.out)["files"] if file["findings"]] == found
    assert statetool("check", *names.split()).status == status


@pytest.mark.parametrize(("names", "count"), [("good", 1), ("good edited v3", 3), ("missing good duplicate", 2)])
def test_check_counts_what_was_checked(names: str, count: int, statetool: Statetool) -> None:
    shown = statetool("check", *names.split()).text
    assert f"\n{count} state{'' if count == 1 else 's'} checked: " in f"\n{shown}"


@pytest.mark.parametrize(
    ("names", "unreadable"),
    [("good", []), ("missing good", ["missing"]), ("good nothing* missing empty", ["empty", "missing", "nothing*"])],
)
def test_check_names_what_could_not_be_read(names: str, unreadable: list[str], statetool: Statetool) -> None:
    result = statetool("check", "--format", "json", *names.split())
    given = json.loads(result.out)["unreadable"]
    assert sorted(each["path"] for each in given) == unreadable
    assert all(each["message"].startswith(f"{each['path']}: ") for each in given)
    assert all(name in result.err for name in unreadable)


def test_many_states_are_reported_in_the_order_of_their_names(folder: Path, statetool: Statetool) -> None:
    # So many that several processes share them, where there are several processors.
    names = [f"{number:03}" for number in range(450)]
    for name in names:
        (folder / name).write_bytes(STATES["duplicate" if name.endswith("3") else "good"])
    result = statetool("check", "--format", "json", *names, "missing")
    document = json.loads(result.out)
    assert [file["path"] for file in document["files"]] == names
    assert [file["path"] for file in document["files"] if file["findings"]] == names[3::10]
    assert [each["path"] for each in document["unreadable"]] == ["missing"]


def test_state_option_adds_one(statetool: Statetool) -> None:
    result = statetool("check", "--format", "json", "good", "--state", "edited")
    assert [file["path"] for file in json.loads(result.out)["files"]] == ["good", "edited"]


@pytest.mark.parametrize("names", ["edited truncated", "truncated edited", "missing edited duplicate v3", "edited v3"])
def test_fmt(names: str, statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    """The good ones are written, the others told of and left alone."""
    result = statetool("fmt", *names.split())
    assert result.status == 2
    for name in names.split():
        assert (f"statetool: {name}: " in result.err) == (name != "edited")
    after = {name: content for name, content in tree().items() if not name.endswith(".backup")}
    assert after == STATES | {"empty": b"", "edited": INDENTED}


@pytest.mark.parametrize(
    ("status", "names", "listed"),
    [
        (0, "good good", b""),
        (1, "good edited", b"edited\n"),
        (1, "edited good edited", b"edited\nedited\n"),
        (2, "edited missing", b"edited\n"),
        (2, "v3 edited", b"edited\n"),
    ],
)
def test_fmt_check(status: int, names: str, listed: bytes, statetool: Statetool) -> None:
    result = statetool("fmt", "--check", *names.split())
    assert (result.status, result.out) == (status, listed)


def test_the_list_of_fmt_check_can_be_passed_on(program: Program) -> None:
    line = "statetool fmt --check edited good >list; xargs statetool fmt <list; statetool fmt --check edited good"
    assert program.in_shell(line).status == 0


def test_folder_that_may_not_be_read(program: Program) -> None:
    """States that a gate cannot look at do not pass it."""
    Path("empty/state.tfstate").write_bytes(INDENTED)
    Path("empty/closed").mkdir(mode=0o000)
    result = program.without_privileges("check", "empty")
    assert (result.status, result.err) == (2, "statetool: empty/closed: permission denied\n")
