"""What the rules find in configurations, alone and beside a state.

`tests/configurations/NAME` is a root module, with a `terraform.tfstate` where a state is held against it. Its
`expected.json` has everything that is found, each as code, address and place: a place of the configuration
(`main.tf:3:14`), or a JSON pointer into the state. It comes from OpenTofu's sources, not from running this.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.check import check, check_configuration
from statefmt.lint.registry import all_rules
from statefmt.model.findings import Code, Finding, Severity
from tests.tables import each_row

_FOLDER: Final = Path(__file__).parents[1] / "configurations"
_FIXTURES: Final = sorted(path for path in _FOLDER.iterdir() if path.is_dir())
_CODES: Final = sorted(code for code in all_rules() if code.startswith(("CFG", "CFS")))


def _found(fixture: Path) -> list[Finding]:
    references = ProviderReferences(load(fixture))
    state = fixture / "terraform.tfstate"
    held = check(state.read_bytes(), select=["CFS"], configuration=references) if state.exists() else []
    return [*check_configuration(references), *held]


def _told(finding: Finding, fixture: Path) -> tuple[str, str, str]:
    if finding.place is None:
        return finding.code, finding.address, finding.pointer
    file = Path(finding.place.file)
    name = file.relative_to(fixture).as_posix() if file.is_relative_to(fixture) else file.as_posix()
    if finding.code == Code.CONFIGURATION_UNREADABLE:
        # Where a syntax error is said to be is tested with the parser.
        return finding.code, finding.address, name
    return finding.code, finding.address, f"{name}:{finding.place.line}:{finding.place.column}"


def _expected(fixture: Path) -> list[tuple[str, str, str]]:
    return sorted(
        (code, address, place) for code, address, place in json.loads((fixture / "expected.json").read_bytes())
    )


@each_row("fixture", _FIXTURES, ids=lambda path: path.name)
def test_found(fixture: Path) -> None:
    assert sorted(_told(finding, fixture) for finding in _found(fixture)) == _expected(fixture)


@each_row("code", _CODES)
def test_each_rule_finds_something_somewhere(code: str) -> None:
    assert any(told[0] == code for fixture in _FIXTURES for told in _expected(fixture))


def test_a_function_with_an_unknown_alias_is_not_refused() -> None:
    """OpenTofu uses the default configuration of the root module instead (`internal/tofu/transform_provider.go`)."""
    found = check_configuration(ProviderReferences(load(_FOLDER / "provider-functions")), select=["CFG008"])
    warned = [
        (finding.place.line, finding.summary)
        for finding in found
        if finding.severity is Severity.WARNING
        if finding.place
    ]
    assert warned == [(13, "Provider configuration not present")]


def test_without_a_configuration_nothing_is_said_of_one() -> None:
    state = (_FOLDER / "configuration-removed-root" / "terraform.tfstate").read_bytes()
    assert check(state, select=["CFG", "CFS"]) == []
    assert Code.PROVIDER_CONFIGURATION_GONE in all_rules()
