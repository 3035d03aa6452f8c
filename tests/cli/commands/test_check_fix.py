"""`check --fix`: mends what has one right answer, and nothing else."""

from __future__ import annotations

import difflib
import fcntl
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt.cli.main import main
from statefmt.formats.reading import inspect
from statefmt.lint.check import check
from statefmt.lint.registry import all_rules
from tests.tables import each_row

_FIXTURES: Final = Path(__file__).parents[2] / "lint"
_MENDS: Final = {code: rule.mend for code, rule in all_rules().items() if rule.mend is not None}
# What stays, and why.
_STAYS: Final = {"PRV007": "needs a configuration", "upgraded": "an older format", "version-3": "an older format"}
# Failing fixtures of a rule with a mend that keeps what is found there.
_KEPT: Final = {"STA009/fail-in-attributes"}
_AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _failing() -> Iterator[Any]:
    for code in _MENDS:
        for path in sorted((_FIXTURES / code).glob("fail-*.tfstate")):
            inspection = inspect(path.read_bytes())
            stays = code in _STAYS or inspection.snapshot is None or inspection.version != 4
            if not stays and f"{code}/{path.stem}" not in _KEPT:
                yield pytest.param(path, id=f"{code}/{path.stem}")


def _found(path: Path) -> set[tuple[str, str, str]]:
    return {(finding.code, finding.address, finding.detail) for finding in check(path.read_bytes())}


@each_row("path", list(_failing()))
def test_the_finding_is_gone_and_nothing_new_appears(path: Path, tmp_path: Path) -> None:
    state, code = tmp_path / "terraform.tfstate", path.parent.name
    state.write_bytes(path.read_bytes())
    before = _found(state)
    assert main(["check", "--no-settings", "--fix", "--unsafe-fixes", "--select", code, "--exit-zero", str(state)]) == 0
    after = _found(state)
    assert {found for found in after if found[0] == code} == set()
    assert after <= before


def test_members_that_stay_are_not_called_fixable(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Canonical form keeps the text of attributes and of unknown members, and of other members what is read."""
    fixing = ["check", "--no-settings", "--fix", "--unsafe-fixes", "--select", "STA009", "--exit-zero"]
    state = tmp_path / "a.tfstate"
    content = (_FIXTURES / "STA009" / "fail-in-attributes.tfstate").read_bytes()
    state.write_bytes(content)
    assert main([*fixing, str(state)]) == 0
    said = capsysbinary.readouterr()
    assert (state.read_bytes(), said.err) == (content, b"")
    assert b"1 state checked: 1 warning" in said.out
    assert b"fixable" not in said.out
    state.write_bytes(content[:-2] + b', "new": {"a": 1, "a": 2}, "outputs": {}, "outputs": {}}')
    assert main(["check", "--no-settings", "--select", "STA009", "--exit-zero", str(state)]) == 0
    said = capsysbinary.readouterr()
    assert b"1 state checked: 3 warnings\n1 fixable with --fix --unsafe-fixes" in said.out
    assert main([*fixing, str(state)]) == 0
    said = capsysbinary.readouterr()
    assert b"1 finding (1 STA009) fixed" in said.err
    assert b"1 state checked: 2 warnings" in said.out
    assert b"fixable" not in said.out
    assert state.read_bytes().count(b'"a":') == 2


def test_every_mend_is_tried() -> None:
    """Of each rule with a mend there is a fixture, or a reason why there is none."""
    tried = {param.values[0].parent.name for param in _failing()}
    assert tried == set(_MENDS) - {"PRV007"}


def _resource(name: str, *dependencies: str, provider: str = _AWS) -> dict[str, Any]:
    attributes = {"id": name, "ratio": 1.0}
    instance = {"schema_version": 0, "attributes": attributes, "dependencies": [f"t.{each}" for each in dependencies]}
    return {"mode": "managed", "type": "t", "name": name, "provider": provider, "instances": [instance]}


def _state(path: Path, *resources: dict[str, Any], **more: Any) -> Path:
    document = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "l", "outputs": {}}
    document |= {"resources": resources, "check_results": None} | more
    path.write_bytes(statefmt.write(statefmt.read(json.dumps(document, indent=2).encode()).snapshot))
    return path


def test_only_the_lines_of_what_is_mended_change(tmp_path: Path) -> None:
    state = _state(tmp_path / "a.tfstate", _resource("a"), _resource("b", "a", "a"))
    before = state.read_text()
    assert main(["check", "--no-settings", "--fix", str(state)]) == 0
    lines = difflib.ndiff(before.splitlines(), state.read_text().splitlines())
    changed = [line for line in lines if line[0] in "+-"]
    assert changed == ['-   "serial": 1,', '+   "serial": 2,', '-             "t.a",']
    assert main(["undo", str(state), "--yes"]) == 0
    assert json.loads(state.read_text()) == json.loads(before) | {"serial": 3}


def test_several_fixes_are_one_edit(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    state = _state(tmp_path / "a.tfstate", _resource("b", "b", "a", "a"), _resource("a"))
    assert main(["check", "--no-settings", "--fix", str(state)]) == 0
    assert json.loads(state.read_text())["serial"] == 2
    assert b"fixed" in capsysbinary.readouterr().err
    assert len([path for path in tmp_path.iterdir() if path.suffix == ".backup"]) == 1
    assert {code for code, _, _ in _found(state)} == set()


def test_a_diff_writes_nothing(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    state = _state(tmp_path / "a.tfstate", _resource("a"), _resource("b", "a", "a"))
    before = state.read_bytes()
    assert main(["check", "--no-settings", "--diff", str(state)]) == 1
    assert b"1 finding (1 DEP005) would be fixed" in capsysbinary.readouterr().out
    assert (state.read_bytes(), list(tmp_path.iterdir())) == (before, [state])
    assert main(["check", "--no-settings", "--fix", str(state)]) == 0
    assert main(["check", "--no-settings", "--diff", str(state)]) == 0


def test_what_needs_a_decision_stays(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    state = _state(tmp_path / "a.tfstate", _resource("a", "gone"))
    before = state.read_bytes()
    assert main(["check", "--no-settings", "--fix", str(state)]) == 0
    assert state.read_bytes() == before
    assert b"1 fixable with --fix --unsafe-fixes" in capsysbinary.readouterr().out
    assert main(["check", "--no-settings", "--fix", "--unsafe-fixes", str(state)]) == 0
    assert "dependencies" not in json.loads(state.read_text())["resources"][0]["instances"][0]


def test_what_is_in_the_baseline_stays(tmp_path: Path) -> None:
    state = _state(tmp_path / "a.tfstate", _resource("a"), _resource("b", "a", "a"))
    baseline = tmp_path / "known.json"
    assert main(["check", "--no-settings", "--write-baseline", str(baseline), str(state)]) == 0
    before = state.read_bytes()
    assert main(["check", "--no-settings", "--fix", "--baseline", str(baseline), str(state)]) == 0
    assert state.read_bytes() == before


def test_canonical_form_does_not_decide_in_secret(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Of two members with one name, canonical form keeps the last, which only the user may decide."""
    state = _state(tmp_path / "a.tfstate", _resource("a"))
    state.write_text(state.read_text().replace('"mode"', '"mode": "data",\n      "mode"'))
    before = state.read_bytes()
    assert main(["check", "--no-settings", "--fix", str(state)]) == 0
    assert state.read_bytes() == before
    assert b"2 fixable with --fix --unsafe-fixes" in capsysbinary.readouterr().out
    assert main(["check", "--no-settings", "--fix", "--select", "STA007", str(state)]) == 0
    assert state.read_bytes() == before
    assert b"that would also decide what STA009 reports" in capsysbinary.readouterr().err
    assert main(["check", "--no-settings", "--fix", "--unsafe-fixes", str(state)]) == 0
    assert _found(state) == set()


def test_one_locked_state_does_not_keep_the_others_from_being_fixed(tmp_path: Path) -> None:
    one, other = (
        _state(tmp_path / name, _resource("a"), _resource("b", "a", "a")) for name in ("a.tfstate", "b.tfstate")
    )
    before = one.read_bytes()
    with one.open("r+b") as held:
        fcntl.fcntl(held, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        status = main(["check", "--no-settings", "--fix", str(one), str(other)])
        assert (status, one.read_bytes()) == (2, before)
    assert json.loads(other.read_text())["serial"] == 2


def test_a_state_that_cannot_be_used_is_reported_as_it_is(tmp_path: Path) -> None:
    state = tmp_path / "a.tfstate"
    state.write_bytes((_FIXTURES / "ADR002" / "fail-current-twice.tfstate").read_bytes())
    before = state.read_bytes()
    assert main(["check", "--no-settings", "--fix", str(state)]) == 1
    assert state.read_bytes() == before


@pytest.mark.parametrize(
    "address", ['provider["registry.opentofu.org/-/acme"]', 'module.m.provider["registry.opentofu.org/-/acme"].west']
)
def test_a_legacy_provider_gets_the_source_that_the_configuration_has(address: str, tmp_path: Path) -> None:
    resource = _resource("a", provider=address) | ({"module": "module.m"} if "module.m" in address else {})
    state = _state(tmp_path / "a.tfstate", resource)
    folder = tmp_path / "configuration"
    folder.mkdir()
    (folder / "main.tf").write_text(
        'terraform {\n  required_providers {\n    acme = { source = "corp/acme" }\n  }\n}\n'
    )
    arguments = ["check", "--no-settings", "--fix", "--select", "PRV007", "--config", str(folder), str(state)]
    assert main(arguments) == 0
    assert json.loads(state.read_text())["resources"][0]["provider"] == address.replace("/-/", "/corp/")


def test_a_legacy_provider_that_the_configuration_does_not_have_stays(tmp_path: Path) -> None:
    state = _state(tmp_path / "a.tfstate", _resource("a", provider='provider["registry.opentofu.org/-/acme"]'))
    before = state.read_bytes()
    (tmp_path / "main.tf").write_text("")
    main(["check", "--no-settings", "--fix", "--select", "PRV007", "--config", str(tmp_path), str(state)])
    assert state.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["--unsafe-fixes"],
        ["--fix", "--diff"],
        ["--fix", "--write-baseline", "known"],
        ["--no-backup"],
        ["--diff", "--no-lock"],
    ],
)
def test_options_that_contradict_each_other(arguments: list[str], tmp_path: Path) -> None:
    state = _state(tmp_path / "a.tfstate", _resource("a"))
    assert main(["check", *arguments, str(state)]) == 2
