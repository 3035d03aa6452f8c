"""The schemas are found, and each is a sound, described and self-contained JSON Schema."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from statefmt import schema_problems
from tests.tables import each_row

Schema = dict[str, Any]

STATE_SCHEMAS = ("encrypted-state", "state-v1", "state-v2", "state-v3", "state-v4")
NAMES = schema_problems.schema_names()

# Under these keywords a schema restricts members that it declares elsewhere.
CONDITIONS = {"if", "then", "else", "not", "dependentSchemas"}
# Under these keywords stand names, not keywords.
NAMED = {"properties", "$defs", "dependentSchemas", "patternProperties"}
# Under these stands data.
DATA = {"const", "enum", "examples", "default", "required"}


def test_all_state_schemas_are_there() -> None:
    assert set(STATE_SCHEMAS) <= set(NAMES)


def test_unknown_name() -> None:
    with pytest.raises(KeyError, match="state-v9"):
        schema_problems.schema_text("state-v9")


def test_found_as_package_data(root: Path, tmp_path: Path) -> None:
    """An installed wheel has the schemas inside the package and no folder beside it."""
    package = tmp_path / "statefmt"
    shutil.copytree(root / "schemas", package / "schemas")
    shutil.copy(root / "statefmt" / "schema_problems.py", package)
    (package / "__init__.py").touch()
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from statefmt import schema_problems\n"
        "assert schema_problems.__file__.startswith(sys.argv[1])\n"
        "print(*schema_problems.schema_names())\n"
        "assert b'urn:statetool:schema:state-v4' in schema_problems.schema_text('state-v4')\n"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert run.stdout.split() == list(NAMES)


@each_row("name", NAMES)
def test_is_a_schema(name: str, schemas: dict[str, Schema]) -> None:
    assert schemas[name]["$schema"] == Draft202012Validator.META_SCHEMA["$schema"]
    Draft202012Validator.check_schema(schemas[name])


@each_row("name", NAMES)
def test_has_identity(name: str, schemas: dict[str, Schema]) -> None:
    assert schemas[name]["$id"] == f"urn:statetool:schema:{name}"
    for pointer, part in _parts(name, schemas[name]):
        assert part.get("title"), f"{pointer} has no title"
        assert part.get("description"), f"{pointer} has no description"


@each_row("name", NAMES)
def test_every_member_is_described(name: str, schemas: dict[str, Schema]) -> None:
    bare = [
        f"{pointer}/properties/{member}"
        for pointer, part in _walk(name, schemas[name], into_conditions=False)
        for member, schema in part.get("properties", {}).items()
        if not schema.get("description", "").endswith(".")
    ]
    assert bare == []


@each_row("name", NAMES)
def test_conditions_speak_of_declared_members(name: str, schemas: dict[str, Schema]) -> None:
    declared = {
        member for _, part in _walk(name, schemas[name], into_conditions=False) for member in part.get("properties", {})
    }
    mentioned = {
        member
        for _, part in _walk(name, schemas[name], into_conditions=True)
        for keyword in ("properties", "required", "dependentSchemas")
        for member in part.get(keyword, ())
    }
    assert mentioned <= declared


@each_row("name", NAMES)
def test_references_and_parts_match(name: str, schemas: dict[str, Schema]) -> None:
    references = {part["$ref"] for _, part in _walk(name, schemas[name], into_conditions=True) if "$ref" in part}
    assert references == {f"#/$defs/{part}" for part in schemas[name].get("$defs", {})}


@each_row("name", NAMES)
def test_allows_unknown_members(name: str, schemas: dict[str, Schema]) -> None:
    closed = [
        pointer
        for pointer, part in _walk(name, schemas[name], into_conditions=True)
        if "properties" in part and ("additionalProperties" in part or "unevaluatedProperties" in part)
    ]
    if name in STATE_SCHEMAS:
        assert closed == []


def test_formats_2_and_3_have_one_shape(schemas: dict[str, Schema]) -> None:
    v2, v3 = (_without_words(schemas[name]) for name in ("state-v2", "state-v3"))
    assert (v2["properties"].pop("version"), v3["properties"].pop("version")) == ({"const": 2}, {"const": 3})
    assert v2 == v3


@pytest.mark.parametrize("part", ["bytes", "strings", "stringMap", "releaseVersion", "serial", "remote"])
def test_shared_parts_are_equal(part: str, schemas: dict[str, Schema]) -> None:
    """Each file stands alone, so some parts are written out in several."""
    versions = [json.dumps(schemas[name]["$defs"].get(part)) for name in STATE_SCHEMAS]
    assert len({text for text in versions if text != "null"}) == 1


def _parts(name: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    yield name, schema
    for part, content in schema.get("$defs", {}).items():
        yield f"{name}#/$defs/{part}", content


def _walk(pointer: str, schema: Any, *, into_conditions: bool) -> Iterator[tuple[str, Schema]]:
    """Yield every schema inside a schema."""
    if not isinstance(schema, dict):
        return
    yield pointer, schema
    for keyword, content in schema.items():
        if keyword in DATA or (keyword in CONDITIONS and not into_conditions):
            continue
        if isinstance(content, list):
            inner = [(str(number), item) for number, item in enumerate(content)]
        elif keyword in NAMED:
            inner = list(content.items())
        else:
            inner = [("", content)]
        for step, item in inner:
            yield from _walk(f"{pointer}/{keyword}/{step}", item, into_conditions=into_conditions)


def _without_words(schema: Any) -> Any:
    """Drop titles, descriptions, comments and identifiers, which alone may differ."""
    if isinstance(schema, list):
        return [_without_words(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    words = {"title", "description", "$comment", "$id"}
    return {
        key: _without_words(content)
        for key, content in schema.items()
        if key not in words or not isinstance(content, str)
    }
