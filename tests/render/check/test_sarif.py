"""SARIF 2.1.0: valid by the official schema, and what viewers and code scanning make use of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import orjson
import pytest
from jsonschema import Draft4Validator

from statefmt.formats.raw_json.positions import Position
from statefmt.lint.checked import CheckedState
from statefmt.lint.registry import all_pages
from statefmt.render.check_reports import check_sarif
from statefmt.render.findings import fix_text
from tests.render.states import CLEAN, ERROR, HOSTILE, INFO, LOWER_CASE, NO_STATE, SEVERAL, WARNING, hundred, state

SCHEMA = Path(__file__).parents[2] / "data" / "sarif-2.1.0-rtm.4.json"
VALIDATOR = Draft4Validator(orjson.loads(SCHEMA.read_bytes()))
FOLDER = Path("/srv/project")


def read(*states: CheckedState) -> dict[str, Any]:
    """The run, of a valid log."""
    log = orjson.loads(b"".join(check_sarif(states, FOLDER)))
    VALIDATOR.validate(log)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    # The schema's errata ask for this, and GitHub does.
    assert all(region(result)["startLine"] >= 1 and region(result)["startColumn"] >= 1 for result in run["results"])
    assert isinstance(run, dict)
    return run


def results(*states: CheckedState) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read(*states)["results"]
    return found


def region(result: dict[str, Any]) -> dict[str, int]:
    found: dict[str, int] = result["locations"][0]["physicalLocation"]["region"]
    return found


def fingerprints(*states: CheckedState) -> list[dict[str, str]]:
    return [result["partialFingerprints"] for result in results(*states)]


@pytest.mark.parametrize(
    "states",
    [(), (CLEAN,), SEVERAL, (hundred(),), (state(HOSTILE, name="a\x1b b\udcff"),)],
    ids=["nothing", "clean", "several", "hundred", "hostile"],
)
def test_is_valid(states: tuple[CheckedState, ...]) -> None:
    assert len(results(*states)) == sum(len(each.findings) for each in states)


def test_the_schema_refuses_what_is_not_sarif() -> None:
    log = orjson.loads(b"".join(check_sarif(SEVERAL, FOLDER)))
    log["runs"][0]["results"][0]["level"] = "info"
    assert not VALIDATOR.is_valid(log)


def test_every_rule_is_described() -> None:
    rules = read(CLEAN)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(all_pages())
    for rule, page in zip(rules, all_pages().values(), strict=True):
        assert rule["name"] == page.rule.name
        assert rule["shortDescription"]["text"] == page.title
        assert rule["help"]["text"] == rule["help"]["markdown"] == page.text
        full = rule["fullDescription"]["text"]
        assert full.startswith("Reports") and full.endswith(".") and "\n" not in full and "#" not in full
        assert "helpUri" not in rule


def test_levels_of_rules() -> None:
    rules = {rule["id"]: rule for rule in read(CLEAN)["tool"]["driver"]["rules"]}
    levels = {
        code: (rules[code]["defaultConfiguration"]["level"], rules[code]["properties"]["problem.severity"])
        for code in ("ADR002", "PRV001", "STA007")
    }
    assert levels == {
        "ADR002": ("error", "error"),
        "PRV001": ("warning", "warning"),
        "STA007": ("note", "recommendation"),
    }


def test_results_name_their_rule() -> None:
    run = read(*SEVERAL)
    rules = run["tool"]["driver"]["rules"]
    assert [result["ruleId"] for result in run["results"]] == [
        "ADR002",
        "PRV001",
        "STA007",
        "ADR005",
        "STA010",
        "STA001",
    ]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_a_rule_that_is_not_known_has_no_index() -> None:
    assert "ruleIndex" not in results(state(replace(ERROR, code="XYZ999")))[0]


def test_levels_of_results() -> None:
    assert [result["level"] for result in results(state(ERROR, WARNING, INFO))] == ["error", "warning", "note"]


MESSAGES = [
    (ERROR, f"{ERROR.summary}. {ERROR.detail}"),
    (WARNING, f"{WARNING.summary}. {WARNING.detail}\n\n{fix_text(WARNING.fix)}"),
    (LOWER_CASE, f"{LOWER_CASE.summary}: {LOWER_CASE.detail}"),
]


@pytest.mark.parametrize(("finding", "text"), MESSAGES)
def test_message(finding: Any, text: str) -> None:
    assert results(state(finding))[0]["message"] == {"text": text}


def test_location() -> None:
    assert results(SEVERAL[0])[1]["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "envs/production/terraform.tfstate", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 1234, "startColumn": 11},
            },
            "logicalLocations": [{"fullyQualifiedName": WARNING.address}],
        }
    ]


def test_what_is_said_of_the_whole_file() -> None:
    (location,) = results(CheckedState("x", (NO_STATE,)))[0]["locations"]
    assert location["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1}
    assert "logicalLocations" not in location


# A path as it was given, and its URI.
URIS = [
    ("terraform.tfstate", "terraform.tfstate", True),
    ("./envs//a/../b.tfstate", "envs/b.tfstate", True),
    ("/srv/project/envs/b.tfstate", "envs/b.tfstate", True),
    ("/elsewhere/b c.tfstate", "file:///elsewhere/b%20c.tfstate", False),
    ("../b.tfstate", "file:///srv/b.tfstate", False),
    ("a b%c#d?e.tfstate", "a%20b%25c%23d%3Fe.tfstate", True),
    ("größe/日本", "gr%C3%B6%C3%9Fe/%E6%97%A5%E6%9C%AC", True),
    ("c:x", "c%3Ax", True),
    ("bytes\udcff", "bytes%FF", True),
    ("<standard input>", "%3Cstandard%20input%3E", True),
]


@pytest.mark.parametrize(("name", "uri", "relative"), URIS)
def test_uris(name: str, uri: str, relative: bool) -> None:
    artifact = results(state(ERROR, name=name))[0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == ({"uri": uri, "uriBaseId": "%SRCROOT%"} if relative else {"uri": uri})
    assert unquote(uri, errors="surrogateescape").endswith(name.rpartition("/")[2])


def test_paths_start_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = orjson.loads(b"".join(check_sarif([state(ERROR, name=str(tmp_path / "a" / "b"))])))
    artifact = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == "a/b"


def test_fingerprints_stay_when_lines_and_indexes_move() -> None:
    moved = replace(ERROR, pointer="/resources/31/instances/7")
    later = CheckedState("terraform.tfstate", (moved,), {moved.pointer: Position(999, 1)})
    assert fingerprints(state(ERROR)) == fingerprints(later)


def test_fingerprints_differ() -> None:
    marks = fingerprints(state(ERROR, ERROR, ERROR, WARNING, INFO))
    assert len({mark["primaryLocationLineHash"] for mark in marks}) == 5
    assert [mark["primaryLocationLineHash"][32:] for mark in marks] == [":1", ":2", ":3", ":1", ":1"]


def test_the_same_to_the_byte() -> None:
    assert b"".join(check_sarif(SEVERAL, FOLDER)) == b"".join(check_sarif(SEVERAL, FOLDER))
