"""What findings about schemas say to do, done: afterwards they are gone, and there is no other one in their place."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from statefmt.cli.main import main
from statefmt.lint.registry import all_rules
from statefmt.model.findings import Finding, Severity
from tests.lint.schemas.test_rules import GOOD, acme_state, found_with_schemas

_ERRORS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "SCH001": ({"size": "large"}, {}, "unset acme_disk.main size"),
    "SCH003": ({}, {"schema_version": 3}, "restore BACKUP"),
    "SCH006": ({"key_wo": "s3cret"}, {}, "unset acme_disk.main key_wo"),
}


def _codes(found: list[Finding]) -> set[str]:
    return {finding.code for finding in found}


@pytest.mark.parametrize("code", _ERRORS)
def test_the_command_does_away_with_the_finding_and_adds_none(code: str, tmp_path: Path) -> None:
    change, members, command = _ERRORS[code]
    state, backup = tmp_path / "terraform.tfstate", tmp_path / "good.backup"
    state.write_bytes(acme_state({**GOOD, **change}, **members))
    backup.write_bytes(acme_state(GOOD))
    assert _codes(found_with_schemas(state.read_bytes())) == {code}
    arguments = shlex.split(command.replace("BACKUP", shlex.quote(str(backup))))
    assert main([*arguments, "--state", str(state), "--yes"]) == 0
    assert _codes(found_with_schemas(state.read_bytes())) == set()


@pytest.mark.parametrize("change", [{}, {"size": "large"}], ids=["attributes that fit", "attributes that do not"])
def test_every_command_against_a_newer_object_does_away_with_it(change: dict[str, Any], tmp_path: Path) -> None:
    """`set --schema-version` is offered only where the attributes fit."""
    state = tmp_path / "terraform.tfstate"
    broken = acme_state({**GOOD, **change}, schema_version=3)
    state.write_bytes(broken)
    [finding] = found_with_schemas(broken)
    offered = [" ".join([one.name, *one.arguments]) for one in finding.fix.commands]
    setting = [] if change else ["set acme_disk.main --schema-version 2"]
    assert offered == ["history", *setting, "rm acme_disk.main"]
    for one in finding.fix.commands:
        state.write_bytes(broken)
        if one.name == "history":
            continue
        assert main([one.name, *one.arguments, "--state", str(state), "--yes"]) == 0
        assert "SCH003" not in _codes(found_with_schemas(state.read_bytes()))


def test_every_error_about_schemas_is_here() -> None:
    errors = {code for code, rule in all_rules().items() if rule.severity is Severity.ERROR and code[:3] == "SCH"}
    assert errors == set(_ERRORS)
