"""The schema of operations files has the blocks and arguments that are read, and allows the same values."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from statefmt.edit.operations_file.model import BLOCKS as OPERATIONS, Expect, StateBlock
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.model.errors import SettingsError
from statefmt.schema_problems import schema_text
from tests.tables import each_row

SCHEMA = json.loads(schema_text("operations-file"))
BLOCKS: dict[str, type[msgspec.Struct]] = {"state": StateBlock, "expect": Expect, **OPERATIONS}
COMMENT = "//"
# What the arguments that a block must have may be.
VALID: dict[str, Any] = {
    "path": "a.tfstate", "from": "t.a", "to": "t.b", "of": ["t.a", "t.*"], "old": "acme/t", "new": "acme/u",
    "values": {"id": None}, "paths": "id", "serial": 5, "lineage": "x",
}  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 5, 1.5, 1e30, "", "x", "true", [], ["x"], [5], [["x"]], {}, {"a": None}, {"a": 1},
    {"a": -1}, {"a": 1.5}, {"a": True}, {"a": "b"}, {"a": []}, {"a": "0" * 64}, {"a": "0A" * 32},
]  # fmt: skip


def document(block: str, arguments: dict[str, Any]) -> dict[str, Any]:
    states = {"a": {"path": "a.tfstate"}}
    return {"state": states | {"b": arguments}} if block == "state" else {"state": states, block: arguments}


def is_read(content: dict[str, Any]) -> bool:
    try:
        read_operations_file("x.json", json.dumps(content).encode())
    except SettingsError:
        return False
    return True


def required(block: str) -> dict[str, Any]:
    fields = msgspec.structs.fields(BLOCKS[block])
    return {field.encode_name: VALID[field.encode_name] for field in fields if field.required}


def test_blocks() -> None:
    assert SCHEMA["properties"].keys() - {COMMENT} == BLOCKS.keys()


@each_row("block", BLOCKS)
def test_arguments(block: str) -> None:
    part = SCHEMA["$defs"][block]
    fields = msgspec.structs.fields(BLOCKS[block])
    assert part["properties"].keys() - {COMMENT} == {field.encode_name for field in fields}
    assert set(part["required"]) == required(block).keys()
    defaults = {name: found["default"] for name, found in part["properties"].items() if "default" in found}
    assert defaults == {field.encode_name: field.default for field in fields if field.default is False}


@each_row("block", BLOCKS)
def test_values(block: str) -> None:
    validator = Draft202012Validator(SCHEMA)
    allowed = 0
    for field in msgspec.structs.fields(BLOCKS[block]):
        for value in VALUES:
            content = document(block, required(block) | {field.encode_name: value})
            valid = validator.is_valid(content)
            assert is_read(content) == valid, (field.encode_name, value)
            allowed += valid
    assert 0 < allowed < len(VALUES) * len(msgspec.structs.fields(BLOCKS[block]))


@pytest.mark.parametrize(
    "content",
    [
        {"forget": [{"of": "t.a"}, {"of": "t.b"}], COMMENT: "why"},
        {"forget": {"of": "t.a", COMMENT: "why"}},
        {"forget": {}},
        {"forget": 5},
        {"forget": {"of": "t.a", "more": True}},
        {"remove": {"of": "t.a"}},
        {"state": {"a.b": {"path": "x"}}},
        {"state": {"a-b": {"path": "x"}}},
    ],
)
def test_whole_files(content: dict[str, Any]) -> None:
    assert is_read(content) == Draft202012Validator(SCHEMA).is_valid(content)
