"""What real OpenTofu made of output values and sensitive paths, case by case."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from statefmt.golang import compact, loads_exact
from statefmt.model.cty import CtyTypeError, CtyValueError, upgrade_output
from statefmt.model.cty.paths import canonical_paths
from statefmt.model.cty.values import canonical_output
from tests.tables import each_row

DATA = Path(__file__).parents[2] / "conformance" / "read.jsonl.xz"

RawMembers = dict[str, msgspec.Raw]
Case = dict[str, Any]

ERRORS = {"Invalid output value type in state": CtyTypeError, "Invalid output value saved in state": CtyValueError}
PATH_SUMMARIES = {"Error unmarshaling path steps", "Error unmarshaling path step", "Unsupported path step"}
# OpenTofu crashes on these; here they are errors of the type or the value.
CRASHES = {"outputs/098-object-optional-unknown": CtyTypeError, "outputs/105-tuple-short": CtyValueError}


def members(raw: bytes | msgspec.Raw | str) -> RawMembers:
    try:
        return {name.lower(): item for name, item in msgspec.json.decode(raw, type=RawMembers).items()}
    except msgspec.MsgspecError:
        return {}


def named(raw: bytes | msgspec.Raw | str) -> RawMembers:
    try:
        return msgspec.json.decode(raw, type=RawMembers)
    except msgspec.MsgspecError:
        return {}


def items(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    try:
        return msgspec.json.decode(raw, type=list[msgspec.Raw])
    except msgspec.MsgspecError:
        return []


def cases(version: int) -> Iterator[Case]:
    with lzma.open(DATA, "rt", encoding="ascii") as lines:
        for line in lines:
            case: Case = json.loads(line)
            if case.get("input") and bytes(members(case["input"]).get("version", b"")) == b"%d" % version:
                yield case


def outputs(text: str) -> dict[str, tuple[bytes | None, bytes | None]]:
    found = {}
    for name, raw in named(members(text).get("outputs", b"{}")).items():
        output = members(raw)
        value, of = output.get("value"), output.get("type")
        found[name] = (None if value is None else bytes(value), None if of is None else bytes(of))
    return found


def path_lists(text: str) -> list[bytes]:
    return [
        bytes(members(instance).get("sensitive_attributes", b"[]"))
        for resource in items(members(text).get("resources", b"[]"))
        for instance in items(members(resource).get("instances", b"[]"))
    ]


V4 = list(cases(4))
WRITTEN = [case for case in V4 if case["outcome"] == "ok" and case["output"]]
REFUSED = [case for case in V4 if ERRORS.keys() & {found["summary"] for found in case["diagnostics"]}]
BAD_PATHS = [case for case in V4 if PATH_SUMMARIES & {found["summary"] for found in case["diagnostics"]}]
V3 = [case for case in cases(3) if case["outcome"] == "ok" and case["output"]]


def name_of(case: Case) -> str:
    return str(case["id"])


def test_there_are_cases() -> None:
    assert len(WRITTEN) > 500 and len(REFUSED) > 30 and len(BAD_PATHS) > 15 and len(V3) > 100


@each_row("case", [case for case in WRITTEN if outputs(case["input"])], ids=name_of)
def test_output_is_written_alike(case: Case) -> None:
    written = {name: canonical_output(*output) for name, output in outputs(case["input"]).items()}
    expected = {
        name: (compact(value or b""), compact(of or b"")) for name, (value, of) in outputs(case["output"]).items()
    }
    assert written == expected


@each_row("case", [case for case in WRITTEN if path_lists(case["input"])], ids=name_of)
def test_paths_are_written_alike(case: Case) -> None:
    written = [canonical_paths(raw) for raw in path_lists(case["input"])]
    assert not any(problems for _, problems in written)
    assert Counter(raw for raw, _ in written) == Counter(map(compact, path_lists(case["output"])))


@each_row("case", REFUSED, ids=name_of)
def test_output_is_refused_alike(case: Case) -> None:
    details = []
    for name, output in outputs(case["input"]).items():
        try:
            canonical_output(*output)
        except CtyTypeError as error:
            details.append(f'The state file has an invalid type specification for output "{name}": {error.detail}.')
        except CtyValueError as error:
            details.append(f'The state file has an invalid value for output "{name}": {error.detail}.')
    expected = [found["detail"] for found in case["diagnostics"] if found["summary"] in ERRORS]
    assert sorted(details) == sorted(expected)


@pytest.mark.parametrize("case", [case for case in V4 if case["id"] in CRASHES], ids=name_of)
def test_crash_is_an_error(case: Case) -> None:
    with pytest.raises(CRASHES[case["id"]]):
        canonical_output(*outputs(case["input"])["result"])


@each_row("case", BAD_PATHS, ids=name_of)
def test_paths_are_refused_alike(case: Case) -> None:
    problems = [
        (problem.summary, problem.detail) for raw in path_lists(case["input"]) for problem in canonical_paths(raw)[1]
    ]
    expected = [
        (found["summary"], found["detail"]) for found in case["diagnostics"] if found["summary"] in PATH_SUMMARIES
    ]
    assert problems == expected


@each_row("case", V3, ids=name_of)
def test_v3_output_is_upgraded_alike(case: Case) -> None:
    upgraded = {}
    for module in items(members(case["input"]).get("modules", b"[]")):
        if loads_exact(bytes(members(module).get("path", b"null"))) != ["root"]:
            continue
        for name, output in named(members(module).get("outputs", b"{}")).items():
            value = loads_exact(bytes(members(output).get("value", b"null")))
            upgraded[name] = canonical_output(*upgrade_output(value))
    expected = {
        name: (compact(value or b""), compact(of or b"")) for name, (value, of) in outputs(case["output"]).items()
    }
    assert upgraded == expected
