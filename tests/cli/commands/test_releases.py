"""`releases`: the table, one release with its sources, and JSON that is valid by its schema."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from statefmt.formats.releases import all_releases
from statefmt.schema_problems import schema_text
from tests.cli.conftest import Statetool
from tests.tables import each_row

# A line of the table, with its columns one space apart.
LINES = [
    "opentofu-1.6 to 1.7 1 to 4 4 indented indented",
    "opentofu-1.8 to 1.11 1 to 4 4 one line one line",
    "opentofu-1.12 1 to 4 4 indented, 2 newlines one line",
    "opentofu-1.13 4 4 indented one line",
    "terraform-0.12 to 1.16 1 to 4 4 indented indented",
    "provider keys of instances from 1.9 none",
    "identity from 1.12 from 1.12",
    "skip_destroy from 1.12 none",
    "deprecated of outputs from 1.10 none",
    "depends_on of instances from 1.13 none",
    "sensitive_attributes all from 0.14",
    "check_results of check blocks all from 1.5",
    "check_results of input variables all from 1.7",
]


@each_row("line", LINES)
def test_table(line: str, statetool: Statetool) -> None:
    result = statetool("releases")
    assert (result.status, result.err) == (0, "")
    assert line in [" ".join(given.split()) for given in result.text.splitlines()]


def test_width(statetool: Statetool) -> None:
    assert max(map(len, statetool("releases").text.splitlines())) <= 80


@pytest.mark.parametrize("name", ["opentofu-1.8", "1.8", "1.8.11"])
def test_one(name: str, statetool: Statetool) -> None:
    text = statetool("releases", name).text
    assert text.startswith("OpenTofu 1.8 (opentofu-1.8)\n")
    assert "  layout of local files: one line, 1 newline at the end\n    OpenTofu v1.8.0 (commit 522a859cf0)" in text
    assert "  provider keys of instances: no\n" in text


@each_row("arguments", [[], *([str(release)] for release in all_releases())], ids=str)
def test_json(arguments: list[str], statetool: Statetool) -> None:
    document = json.loads(statetool("releases", "--format", "json", *arguments).out)
    schema = json.loads(schema_text("releases-output"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
    names = [release["release"] for release in document["releases"]]
    assert names == (arguments or [str(release) for release in all_releases()])
    for release in document["releases"]:
        described = set(schema["$defs"]["release"]["properties"])
        assert set(release) == described
        assert set(release["sources"]) == described - {"release", "engine", "version", "sources"}


@pytest.mark.parametrize(("name", "nearest"), [("9.9", "opentofu-1.13"), ("terrafrom-1.5", "terraform-1.5")])
def test_unknown(name: str, nearest: str, statetool: Statetool) -> None:
    result = statetool("releases", name)
    assert (result.status, result.out) == (2, b"")
    assert nearest in result.err
