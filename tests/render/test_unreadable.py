"""Files that could not be read stand in every format for programs, so that nobody takes them for good ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import orjson
import pytest
import xmlschema
from jsonschema import Draft4Validator, Draft202012Validator

from statefmt.lint.checked import UnreadableState
from statefmt.render.check_reports import check_github, check_json, check_junit, check_sarif
from statefmt.schema_problems import schema_text
from tests.render.states import CLEAN, ERROR, state

DATA = Path(__file__).parents[1] / "data"
JSON_SCHEMA = Draft202012Validator(orjson.loads(schema_text("check-output")))
SARIF_SCHEMA = Draft4Validator(orjson.loads((DATA / "sarif-2.1.0-rtm.4.json").read_bytes()))
JUNIT_SCHEMA = xmlschema.XMLSchema(DATA / "junit-10.xsd")
FOLDER = Path("/srv/project")

GONE = UnreadableState("envs/gone.tfstate", "envs/gone.tfstate: there is no such file")
HOSTILE = UnreadableState("a\x1b[2J\n::error::<b>\udcff", "a\x1b[2J\n::error::<b>]]>: permission denied")
HOSTILE_COMMAND = (
    r"::error file=a\x1b[2J\x0a%3A%3Aerror%3A%3A<b>\udcff,title=Unreadable state::"
    r"a\x1b[2J ::error::<b>]]>: permission denied"
)
CASES = pytest.mark.parametrize(
    "unreadable", [(), (GONE,), (GONE, HOSTILE)], ids=["nothing", "one", "two, one of them hostile"]
)


@CASES
def test_json(unreadable: tuple[UnreadableState, ...]) -> None:
    document = orjson.loads(b"".join(check_json([CLEAN, state(ERROR)], unreadable)))
    JSON_SCHEMA.validate(document)
    assert [each["message"] for each in document["unreadable"]] == [each.message for each in unreadable]
    assert document["summary"]["files"] == 2


@CASES
def test_sarif(unreadable: tuple[UnreadableState, ...]) -> None:
    log = orjson.loads(b"".join(check_sarif([state(ERROR)], FOLDER, unreadable=unreadable)))
    SARIF_SCHEMA.validate(log)
    (run,) = log["runs"]
    assert len(run["results"]) == 1
    told: list[Any] = [note for each in run.get("invocations", ()) for note in each["toolExecutionNotifications"]]
    assert len(told) == len(unreadable)
    if unreadable:
        assert not run["invocations"][0]["executionSuccessful"]
        assert told[0]["message"]["text"] == GONE.message
        location = told[0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert location == {"uri": "envs/gone.tfstate", "uriBaseId": "%SRCROOT%"}


@CASES
def test_junit(unreadable: tuple[UnreadableState, ...]) -> None:
    root = ElementTree.fromstring(b"".join(check_junit([CLEAN], unreadable=unreadable)))
    JUNIT_SCHEMA.validate(root)
    assert root.get("tests") == str(1 + len(unreadable))
    assert root.get("errors") == str(len(unreadable))
    assert len(list(root.iter("error"))) == len(unreadable)


def test_github() -> None:
    assert "\n".join(check_github([CLEAN], FOLDER, unreadable=[GONE, HOSTILE])).split("\n") == [
        "::error file=envs/gone.tfstate,title=Unreadable state::envs/gone.tfstate: there is no such file",
        HOSTILE_COMMAND,
    ]


@pytest.mark.parametrize("name", ["<standard input>"])
def test_standard_input_is_no_file_of_the_repository(name: str) -> None:
    line = "\n".join(check_github([], FOLDER, unreadable=[UnreadableState(name, "standard input is closed")]))
    assert line == "::error title=Unreadable state::standard input is closed"
