"""The JSON of `check`: valid by its schema, and what it says."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from statefmt.lint.baseline import fingerprint
from statefmt.lint.checked import CheckedState
from statefmt.render.check_reports import check_json
from statefmt.schema_problems import schema_text
from tests.render.states import CLEAN, ERROR, HOSTILE, NO_STATE, SEVERAL, hundred, state

SCHEMA: dict[str, Any] = orjson.loads(schema_text("check-output"))
VALIDATOR = Draft202012Validator(SCHEMA)


def read(*states: CheckedState) -> dict[str, Any]:
    document: dict[str, Any] = orjson.loads(b"".join(check_json(states)))
    VALIDATOR.validate(document)
    return document


@pytest.mark.parametrize(
    "states",
    [(), (CLEAN,), SEVERAL, (hundred(),), (state(HOSTILE, name="b\udcff"),)],
    ids=["nothing", "clean", "several", "hundred", "hostile"],
)
def test_is_valid(states: tuple[CheckedState, ...]) -> None:
    assert read(*states)["format_version"] == "1.0"


def test_summary() -> None:
    assert read(*SEVERAL)["summary"] == {
        "files": 3,
        "error": 2,
        "warning": 2,
        "info": 2,
        "hidden": 4,
        "fixable": 0,
        "fixable_unsafe": 0,
    }


def test_files() -> None:
    files = read(*SEVERAL)["files"]
    assert [(each["path"], len(each["findings"]), each["hidden"]) for each in files] == [
        ("envs/production/terraform.tfstate", 5, 3),
        ("envs/clean/terraform.tfstate", 0, 1),
        ("envs/empty.tfstate", 1, 0),
    ]


def test_finding() -> None:
    assert read(state(ERROR))["files"][0]["findings"] == [
        {
            "code": "ADR002",
            "severity": "error",
            "summary": "Duplicate resource instance in state",
            "detail": 'Instance aws_s3_bucket.logs["us-west-2"] appears more than once in the state.',
            "address": 'aws_s3_bucket.logs["us-west-2"]',
            "pointer": "/resources/0/instances/2",
            "member": "resources.instances",
            "fix": "",
            "snippet": "",
            "fixable": None,
            "file": "terraform.tfstate",
            "line": 12,
            "column": 9,
            "fingerprint": fingerprint(ERROR),
        }
    ]


def test_place_that_is_not_known() -> None:
    finding = read(CheckedState("x", (NO_STATE,)))["files"][0]["findings"][0]
    assert (finding["line"], finding["column"]) == (None, None)


def test_texts_are_told_as_they_are() -> None:
    document = read(state(HOSTILE, name="a\x1bb\udcff"))["files"][0]
    assert document["path"] == "a\x1bb\\udcff"
    assert document["findings"][0]["address"] == HOSTILE.address
    assert document["findings"][0]["detail"] == HOSTILE.detail


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("code", "adr2"),
        ("severity", "fatal"),
        ("line", 0),
        ("pointer", "resources"),
        ("member", "resources[]"),
        ("fingerprint", "x"),
        ("fix", None),
    ],
)
def test_the_schema_refuses(member: str, value: object) -> None:
    document = read(state(ERROR))
    document["files"][0]["findings"][0][member] = value
    assert not VALIDATOR.is_valid(document)


def test_the_schema_knows_every_member() -> None:
    document = read(state(ERROR))
    parts = [(SCHEMA, document), (SCHEMA["$defs"]["summary"], document["summary"])]
    parts += [(SCHEMA["$defs"]["file"], document["files"][0])]
    parts += [(SCHEMA["$defs"]["finding"], document["files"][0]["findings"][0])]
    for part, members in parts:
        assert sorted(part["properties"]) == sorted(part["required"]) == sorted(members)
