"""`statetool merge`: conflicts, decisions, and what is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES, resource, state
from tests.cli.terminal import on_terminal
from tests.cli.test_json_output import _assert_valid


def _vpc(name: str, **attributes: object) -> dict[str, object]:
    return resource("aws_vpc", name, {"attributes": {"id": f"vpc-{name}", **attributes}})


@pytest.fixture
def sides(folder: Path) -> Path:
    """Two sides that disagree on two attributes; ours has a new resource."""
    Path("base").write_bytes(state(_vpc("a", x=1), _vpc("b", x=1), serial=5))
    Path("ours").write_bytes(state(_vpc("a", x=2), _vpc("b", x=2), _vpc("new"), serial=6))
    Path("theirs").write_bytes(state(_vpc("a", x=3), _vpc("b", x=3), serial=6))
    return folder


def _values(path: str) -> dict[str, object]:
    document = json.loads(Path(path).read_bytes())
    return {block["name"]: block["instances"][0]["attributes"].get("x") for block in document["resources"]}


def test_conflicts_are_listed_and_nothing_is_written(sides: Path, statetool: Statetool) -> None:
    before = Path("ours").read_bytes()
    result = statetool("merge", "base", "ours", "theirs")
    assert result.status == 1
    assert result.text.splitlines()[1:] == [
        "aws_vpc.a  /attributes/x  both sides changed it, to different values",
        "aws_vpc.b  /attributes/x  both sides changed it, to different values",
    ]
    assert "ours: 2 conflicts; nothing was written. Decide with --ours SELECTOR" in result.err
    assert Path("ours").read_bytes() == before


def test_selectors_decide(sides: Path, statetool: Statetool) -> None:
    assert statetool("merge", "base", "ours", "theirs", "--theirs", "aws_vpc.a", "--ours", "**").status == 0
    assert _values("ours") == {"a": 3, "b": 2, "new": None}
    assert json.loads(Path("ours").read_bytes())["serial"] == 7
    assert statetool("undo", "ours", "--yes").status == 0
    assert _values("ours") == {"a": 2, "b": 2, "new": None}


def test_a_file_decides(sides: Path, statetool: Statetool) -> None:
    listed = statetool("merge", "base", "ours", "theirs", "--format", "json")
    document = json.loads(listed.out)
    _assert_valid(document, "merge-output")
    assert listed.status == 1
    for conflict, side in zip(document["conflicts"], ("ours", "theirs"), strict=True):
        conflict["take"] = side
    Path("decisions.json").write_text(json.dumps(document))
    words = ("merge", "base", "ours", "theirs", "--decisions", "decisions.json")
    again = statetool(*words, "--format", "json")
    assert (again.status, json.loads(again.out)) == (0, document)
    assert statetool(*words, "--out", "merged").status == 0
    assert _values("merged") == {"a": 2, "b": 3, "new": None}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("[]", "decisions.json: the whole file: expected an object"),
        ("{", "decisions.json: not JSON"),
        ('{"format_version": "1.0", "conflicts": [{"address": "a", "path": "", "kind": "value", "take": "mine"}]}',
         'decisions.json: /conflicts/0/take: expected "ours"'),
        ('{"format_version": "1.0", "conflicts": [{"address": "a", "path": "", "kind": "value", "take": "ours"}]}',
         "no conflict for the decision about a (value)"),
    ],
)  # fmt: skip
def test_decisions_that_decide_nothing_are_refused(
    sides: Path, statetool: Statetool, document: str, message: str
) -> None:
    Path("decisions.json").write_text(document)
    result = statetool("merge", "base", "ours", "theirs", "--decisions", "decisions.json", "--ours", "**")
    assert result.status == 2
    assert message in result.err


def test_a_selector_without_a_conflict_is_refused(sides: Path, statetool: Statetool) -> None:
    result = statetool("merge", "base", "ours", "theirs", "--ours", "**", "--theirs", "aws_vpc.new")
    assert result.status == 2
    assert "no conflict matches aws_vpc.new" in result.err


def test_the_bytes_of_theirs_are_kept_if_ours_changed_nothing(sides: Path, statetool: Statetool) -> None:
    theirs = Path("theirs").read_bytes()
    Path("ours").write_bytes(Path("base").read_bytes())
    assert statetool("merge", "base", "ours", "theirs").status == 0
    assert Path("ours").read_bytes() == theirs


def test_questions_on_a_terminal(sides: Path, program: Program) -> None:
    shown = on_terminal(program, "statetool merge base ours theirs --interactive", typed="y\nn\ny\n")
    assert shown.status == 0, shown.text
    assert _values("ours") == {"a": 2, "b": 3, "new": None}


def test_an_encrypted_state_stays_encrypted(folder: Path, statetool: Statetool) -> None:
    regions = (SAMPLES / "v4-regions.tfstate").read_bytes()
    Path("keys.json").write_text(json.dumps(configuration("old")))
    theirs = regions.replace(b"10.20.0.0", b"10.99.0.0")
    for name, content in (("base", regions), ("theirs", theirs), ("ours", regions.replace(b"10.30.0.0", b"10.98.0.0"))):
        Path(name).write_bytes(encrypted(content, "old"))
    assert statetool("merge", "base", "ours", "theirs", "--encryption", "keys.json").status == 0
    assert b"encrypted_data" in Path("ours").read_bytes()
    plain = statetool("pull", "ours", "--encryption", "keys.json").out
    assert b"10.99.0.0" in plain
    assert b"10.98.0.0" in plain
