"""`--format json`: valid by its schema, and with no member that the schema does not describe."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from statefmt.lint.registry import all_rules
from statefmt.schema_problems import schema_text
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES, resource, state
from tests.tables import each_row

EVERY = sorted(path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.tfstate"))


def _closed(schema: Any) -> Any:
    """The schema with no room for members that it does not describe."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(value) for name, value in schema.items()}
    return closed | {"additionalProperties": False} if "properties" in schema and "type" in schema else closed


def _assert_valid(document: Any, schema: str) -> None:
    assert [error.message for error in _validator(schema).iter_errors(document)] == []


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(_closed(json.loads(schema_text(schema))))


@each_row("name", EVERY)
def test_check(name: str, statetool: Statetool) -> None:
    result = statetool("check", "--format", "json", str(SAMPLES / name))
    document = json.loads(result.out)
    _assert_valid(document, "check-output")
    assert [file["path"] for file in document["files"]] == [str(SAMPLES / name)]
    severities = [finding["severity"] for finding in document["files"][0]["findings"]]
    for severity in ("error", "warning", "info"):
        assert document["summary"][severity] == severities.count(severity)


@pytest.mark.parametrize("names", [[], ["missing"], ["missing", *EVERY]], ids=["default", "missing", "every"])
def test_check_of_several(names: list[str], statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a document even where nothing could be read."""
    monkeypatch.chdir(SAMPLES)
    _assert_valid(json.loads(statetool("check", "--format", "json", *names).out), "check-output")


def test_check_as_in_text(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES / "broken")
    name = "mixed-configurations.tfstate"
    text = statetool("check", name).text
    (finding,) = json.loads(statetool("check", "--format", "json", name).out)["files"][0]["findings"]
    assert (finding["code"], finding["severity"], finding["address"]) == ("PRV003", "error", "aws_s3_bucket.logs")
    assert text.startswith(f"error   PRV003 aws_s3_bucket.logs  {name}:{finding['line']}:{finding['column']}\n")
    for member in ("summary", "detail", "fix"):
        assert " ".join(finding[member].split()) in " ".join(text.split())
    assert re.fullmatch(r"(/[^/]+)*", finding["pointer"])


@each_row("name", [name for name in EVERY if not name.startswith(("broken/", "encrypted"))])
def test_list(name: str, statetool: Statetool) -> None:
    document = json.loads(statetool("list", "--format", "json", "--state", str(SAMPLES / name)).out)
    _assert_valid(document, "list-output")
    addresses = [instance["address"] for instance in document["instances"]]
    assert addresses == statetool("list", "--state", str(SAMPLES / name)).text.splitlines()


@pytest.mark.parametrize("text", ["e", "absent"])
def test_grep(text: str, statetool: Statetool) -> None:
    """Also of states that cannot be read."""
    _assert_valid(json.loads(statetool("grep", text, str(SAMPLES), "--format", "json").out), "grep-output")


@each_row("name", [name for name in EVERY if not name.startswith(("broken/", "encrypted"))])
def test_list_long(name: str, statetool: Statetool) -> None:
    """The same instances, with at least one object each."""
    short = json.loads(statetool("list", "--format", "json", "--state", str(SAMPLES / name)).out)
    long = json.loads(statetool("list", "--long", "--format", "json", "--state", str(SAMPLES / name)).out)
    _assert_valid(long, "list-output")
    assert all(instance.pop("objects") for instance in long["instances"])
    assert long == short


# Commands whose JSON has a schema of its own.
LOOKS = [
    ("graph --format json", "graph-output"),
    ("history --format json", "history-output"),
    ("outputs --format json", "outputs-output"),
    ("outputs --format json --show-sensitive", "outputs-output"),
    ("providers --format json", "providers-output"),
    ("providers --format json --remove aws", "providers-remove-output"),
    ("stats --format json", "stats-output"),
]


@each_row("name", [name for name in EVERY if not name.startswith(("broken/", "encrypted"))])
@each_row(("line", "schema"), LOOKS, ids=[case[0] for case in LOOKS])
def test_looks(line: str, schema: str, name: str, statetool: Statetool) -> None:
    result = statetool(*line.split(), "--state", str(SAMPLES / name))
    if result.status == 2:
        # A state that has no such provider.
        assert "--remove" in line
        assert result.out == b""
    else:
        _assert_valid(json.loads(result.out), schema)


@each_row("name", [name for name in EVERY if not name.startswith("encrypted")])
def test_repair(name: str, statetool: Statetool) -> None:
    """Each decision without a value can be run."""
    result = statetool("repair", "--format", "json", str(SAMPLES / name))
    if result.status == 2:
        assert name in ("broken/backend-configuration.tfstate", "broken/truncated.tfstate")
        return
    document = json.loads(result.out)
    _assert_valid(document, "repair-output")
    assert result.status == bool(document["defects"])
    for choice in (choice for defect in document["defects"] for choice in defect["choices"] if choice["value"] is None):
        fatal = [one for one in document["defects"] if one["fatal"]]
        if len(fatal) <= 1:
            words = ("repair", "--choose", choice["decision"], "--dry-run", str(SAMPLES / name))
            assert statetool(*words).status == 0


# An instance in a state, and what is listed of it.
PARTS: list[tuple[dict[str, object], list[object]]] = [
    (resource("a", "b"), ["a.b", "", "managed", "a", "b", None]),
    (resource("a", "b", mode="data"), ["data.a.b", "", "data", "a", "b", None]),
    (resource("a", "b", {"index_key": 0}), ["a.b[0]", "", "managed", "a", "b", 0]),
    (resource("a", "b", {"index_key": "0"}), ['a.b["0"]', "", "managed", "a", "b", "0"]),
    (resource("a", "b", {"index_key": ""}), ['a.b[""]', "", "managed", "a", "b", ""]),
    (resource("a", "b", {"index_key": '"ä\n'}), ['a.b["\\"ä\\n"]', "", "managed", "a", "b", '"ä\n']),
    (resource("a", "b", {"index_key": -(2**63)}), [f"a.b[{-(2**63)}]", "", "managed", "a", "b", -(2**63)]),
    (
        resource("a", "b", module='module.x["k"].module.y[1]'),
        ['module.x["k"].module.y[1].a.b', 'module.x["k"].module.y[1]', "managed", "a", "b", None],
    ),
]


@pytest.mark.parametrize(("given", "listed"), PARTS, ids=[str(case[1][0]) for case in PARTS])
def test_parts(given: dict[str, object], listed: list[object], statetool: Statetool) -> None:
    Path("state").write_bytes(state(given))
    document = json.loads(statetool("list", "--format", "json", "--state", "state").out)
    _assert_valid(document, "list-output")
    (instance,) = document["instances"]
    assert list(instance.values()) == listed


@each_row("name", [name for name in EVERY if not name.startswith("broken/")])
def test_encryption_info(name: str, statetool: Statetool) -> None:
    document = json.loads(statetool("encryption-info", "--format", "json", str(SAMPLES / name)).out)
    _assert_valid(document, "encryption-info-output")
    assert document["encrypted"] == name.startswith("encrypted")


def test_encryption_info_with_a_configuration(statetool: Statetool, folder: Path) -> None:
    (folder / "s").write_bytes(encrypted((SAMPLES / "v4-regions.tfstate").read_bytes(), "old"))
    (folder / "c.json").write_text(json.dumps(configuration("new", "old")))
    document = json.loads(statetool("encryption-info", "--format", "json", "--encryption", "c.json", "s").out)
    _assert_valid(document, "encryption-info-output")
    assert document["read_by"] == {"method": "method.aes_gcm.old", "fallback": True}


def test_nothing_to_list(statetool: Statetool) -> None:
    Path("state").write_bytes(state())
    document = json.loads(statetool("list", "--format", "json", "--state", "state").out)
    assert document == {"format_version": "1.0", "instances": []}


def test_rules(statetool: Statetool) -> None:
    for code in ("", "PRV", *all_rules()):
        document = json.loads(statetool("rule", *filter(None, [code]), "--format", "json").out)
        _assert_valid(document, "rule-output")
        assert [rule["code"] for rule in document["rules"]] == [rule for rule in all_rules() if rule.startswith(code)]
