"""Every recorded state through the commands that look at one: a result that fits its schema, or a refusal.

Each state that can be read is given to one of the commands, in turn, odd ones to all, and refused states to one. With
`make slow`, each is given to four.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from jsonschema import Draft202012Validator

from statefmt import schema_problems as schema_files
from tests.cli.conftest import Statetool
from tests.formats.deviations import DEVIATIONS, Kind
from tests.formats.recorded import CASES, GROUPS, Case, input_of
from tests.tables import each_row

# A command, and the schema of what it writes ("" for text).
COMMANDS: Final = [
    ("list --state", ""),
    ("list --format json --state", "list-output"),
    ("list --long --state", ""),
    ("list --long --format json --state", "list-output"),
    ("show --expand --state", ""),
    ("show --format json --state", "show-output"),
    ("show --show-sensitive --format json --state", "show-output"),
    ("providers", ""),
    ("providers --resources", ""),
    ("providers --tree --resources", ""),
    ("providers --format json", "providers-output"),
    ("outputs", ""),
    ("outputs --format json", "outputs-output"),
    ("outputs --show-sensitive --format json", "outputs-output"),
    ("stats --all", ""),
    ("stats --format json", "stats-output"),
    ("graph", ""),
    ("graph --format mermaid", ""),
    ("graph --format json", "graph-output"),
]
# The steps between the commands of a state have no factor in common with their number.
STEP: Final = 5
# Those with the oddest names and keys meet all of them.
ODD: Final = {
    "v3-upgrade/025-addr-aws_instance_",
    "instances/037-key-escaped-control",
    "instances/066-deposed-bytes-not-chars",
    "instances/219-type-name-missing",
}
REFUSED: Final = {name for name, (kind, _) in DEVIATIONS.items() if kind is Kind.REFUSED}
# Bytes that are not UTF-8, and what `init` leaves in .terraform (a backend, or a remote state in old releases) with
# nothing of a state in it: read by `check` alone.
NOT_TO_BE_WORKED_ON: Final = {
    "attributes-fidelity/062-invalid-utf8-lineage",
    "attributes-fidelity/063-invalid-utf8-key",
    "v3-upgrade/220-backend-s3",
    "v3-upgrade/224-remote-s3",
    "v2-upgrade/046-remote",
    "v1-upgrade/030-remote-null-config",
}
# What OpenTofu refuses and Terraform reads is shown with a note.
NOTED: Final = {"provider-binding/018-resource-legacy-namespace-wrong-host": "OpenTofu refuses the provider of"}
CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@each_row("group", GROUPS)
@each_row("each", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_recorded(each: int, group: str, statetool: Statetool, folder: Path) -> None:
    for number, case in enumerate(case for case in CASES if case["group"] == group):
        (folder / "state").write_bytes(input_of(case))
        status = _expected(case)
        for turn in range(len(COMMANDS) if case["id"] in ODD else each if status == 0 else 1):
            command, schema = COMMANDS[(number + turn * STEP) % len(COMMANDS)]
            result = statetool(*command.split(), "state")
            assert result.status == status, (case["id"], command, result.err)
            assert NOTED.get(case["id"], "") in result.err, (case["id"], command)
            assert status == 0 or (result.out == b"" and result.err != ""), (case["id"], command)
            assert CONTROL.search(result.err if schema else result.text + result.err) is None, (case["id"], command)
            if status == 0 and schema:
                _check(result.text, schema)


def _expected(case: Case) -> int:
    """What OpenTofu or Terraform reads can be looked at."""
    refused = case["outcome"] != "ok" or case["id"] in REFUSED or case["id"] in NOT_TO_BE_WORKED_ON
    return 2 if refused and case["id"] not in NOTED else 0


def _check(text: str, schema: str) -> None:
    document = json.loads(text)
    errors = [error.message for error in _validator(schema).iter_errors(document)]
    assert errors == []


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema_files.schema_text(schema)))
