"""`statetool fleet diff`: what it prints, how runs are named on the command line, and its exit statuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from statefmt.schema_problems import schema_text
from tests.cli.conftest import Result, Statetool
from tests.cli.test_json_output import _closed
from tests.fleet.states import indexed, vpc, written

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def index_of_three_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs: the second changes a state, adds one and removes one; the third finds nothing."""
    folder = tmp_path_factory.mktemp("three-runs")
    states = folder / "states"
    states.mkdir()
    written(states / "app.tfstate", 8, vpc("main"), vpc("old"), outputs={"url": {"value": "a", "type": "string"}})
    written(states / "gone.tfstate", 2, vpc("main"))
    indexed(folder)
    many = [vpc(f"many_{number:02}") for number in range(12)]
    written(
        states / "app.tfstate",
        9,
        vpc("main", {"id": "vpc-2"}, status="tainted"),
        *many,
        outputs={"url": {"value": "b", "type": "string"}},
        lineage="",
    )
    (states / "gone.tfstate").unlink()
    written(states / "new.tfstate", 1, vpc("main"))
    indexed(folder)
    indexed(folder)
    return folder


@pytest.fixture
def three_runs(index_of_three_runs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(index_of_three_runs)
    return index_of_three_runs


def _diff(statetool: Statetool, *arguments: str) -> Result:
    return statetool("fleet", "diff", "--into", "index", *arguments)


def test_text(three_runs: Path, statetool: Statetool) -> None:
    result = _diff(statetool, "1", "2")
    head, _, *lines = result.text.splitlines()
    day = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
    assert re.fullmatch(rf"run 1 \({day}, 2 states\) → run 2 \({day}, 2 states\)", head)
    where = three_runs / "states"
    facts = "lineage app → none, serial 8 → 9, size 862 B → 4.7 kB, resources 2 → 13, objects 2 → 13"
    assert lines == [
        f"~ {where}/app.tfstate: {facts}",
        "    ~ aws_vpc.main: status, id, attributes",
        *(f"    + aws_vpc.many_{number:02}" for number in range(9)),
        "    and 4 more objects; --full lists them",
        "    ~ output url",
        "    new: warning INS005 aws_vpc.main: Tainted object",
        "    new: info STA014: State without a lineage",
        f"- {where}/gone.tfstate: serial 2, 1 object",
        f"+ {where}/new.tfstate: serial 1, 1 object",
        "",
        "1 state added, 1 removed, 1 changed",
    ]
    assert result.status == 1
    full = _diff(statetool, "1", "2", "--full").text
    assert "more objects" not in full
    assert full.count("    + aws_vpc.many_") == 12
    assert "\n    - aws_vpc.old\n" in full


def test_only_states(three_runs: Path, statetool: Statetool) -> None:
    lines = _diff(statetool, "1", "2", "--stat").text.splitlines()
    assert [line[0] for line in lines[2:5]] == ["~", "-", "+"]
    assert len(lines) == 7


@pytest.mark.parametrize(
    ("names", "compared", "status"),
    [
        ("", (2, 3), 0),
        ("first", (1, 3), 1),
        ("-3 -2", (1, 2), 1),
        ("-3", (1, 3), 1),
        ("previous latest", (2, 3), 0),
        ("-1 first", (3, 1), 1),
        ("2999-01-01", (3, 3), 0),
    ],
)
def test_names(names: str, compared: tuple[int, int], status: int, three_runs: Path, statetool: Statetool) -> None:
    """Places from the end begin as options do."""
    result = _diff(statetool, *names.split(), "--format", "json")
    document = json.loads(result.out)
    assert (document["before"]["run_id"], document["after"]["run_id"]) == compared
    assert (result.status, document["differs"]) == (status, status == 1)


@pytest.mark.parametrize("names", ["1 2", "2 1", "1 3", "-1"])
def test_json(names: str, three_runs: Path, statetool: Statetool) -> None:
    document: dict[str, Any] = json.loads(_diff(statetool, *names.split(), "--format", "json").out)
    validator = Draft202012Validator(_closed(json.loads(schema_text("fleet-diff-output"))))
    assert [error.message for error in validator.iter_errors(document)] == []
    if names == "1 2":
        app, gone, new = document["states"]
        assert [one["kind"] for one in document["states"]] == ["changed", "removed", "added"]
        assert len(app["objects"]) == 14
        assert app["findings"][-1] == {
            "code": "STA014",
            "severity": "info",
            "address": "",
            "summary": "State without a lineage",
            "count": 1,
        }
        assert (gone["after"], new["before"]) == (None, None)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("9", "there is no finished run 9: the index has 3 finished runs, 1 to 3"),
        ("-9", "there is no run -9"),
        ("1990-01-01", "there is no run until 1990-01-01"),
        ("some", "invalid run 'some': write a number"),
        ("--stat --full", "cannot be combined with --full"),
        ("-x", "No such option: -x"),
        ("1 2 3", "unexpected extra argument"),
        ("--into nowhere", "there is no such index; make one with `statetool fleet index SOURCE --into FILE`"),
    ],
)
def test_refused(line: str, message: str, three_runs: Path, statetool: Statetool) -> None:
    result = _diff(statetool, *line.split())
    assert (result.status, result.out) == (2, b"")
    assert message in result.err


def test_one_run_cannot_be_compared(tmp_path: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "states").mkdir()
    written(tmp_path / "states" / "app.tfstate", 8, vpc("main"))
    indexed(tmp_path)
    result = _diff(statetool)
    assert result.status == 2
    assert "there is no previous run: the index has one finished run, 1, of " in " ".join(result.err.split())


def test_text_from_states_is_quoted(tmp_path: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control characters in addresses, outputs, lineages and releases do not reach a terminal."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "states" / "a\x1b[31m.tfstate"
    path.parent.mkdir()
    for serial, bad in enumerate(("\x1b]0;owned\x07", "\x1b[2J\u202e"), 1):
        written(
            path,
            serial,
            vpc("main", {"id": bad}, index_key=bad),
            outputs={bad: {"value": bad, "type": "string"}},
            lineage=bad,
            terraform_version="1.9.0",
        )
        indexed(tmp_path)
    for arguments in ((), ("--format", "json"), ("--stat",)):
        result = _diff(statetool, *arguments)
        assert result.status == 1
        assert not set("\x1b\x07\u202e") & set(result.text + result.err)
