"""Reports say which findings `check --fix` fixes, in each format, and the pages of the rules agree."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import statefmt
from docs.generate import pages
from statefmt.cli.main import main
from statefmt.lint.registry import all_rules

_AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _instance(*dependencies: str) -> dict[str, Any]:
    return {"schema_version": 0, "attributes": {"id": "i"}, "dependencies": list(dependencies)}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state with a finding that is fixed, one that is only with --unsafe-fixes, and one that is not."""
    resource = {"mode": "managed", "type": "t", "name": "n", "provider": _AWS}
    instances = [{**_instance("t.gone", "t.other", "t.other"), "status": "tainted"}]
    other = {**resource, "name": "other", "instances": [{"schema_version": 0, "attributes": {"id": "o"}}]}
    document = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "l", "outputs": {}}
    document |= {"resources": [{**resource, "instances": instances}, other], "check_results": None}
    path = tmp_path / "a.tfstate"
    path.write_bytes(statefmt.write(statefmt.read(json.dumps(document, indent=2).encode()).snapshot))
    return path


def _printed(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> str:
    main(["check", "--no-settings", *arguments])
    return capsysbinary.readouterr().out.decode()


def test_text(state: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    text = _printed(capsysbinary, str(state))
    assert "info    DEP005 [*] t.n" in text
    assert "warning DEP002 t.n" in text
    assert text.endswith("1 state checked: 2 warnings, 1 info\n1 fixable with --fix, 1 more with --unsafe-fixes\n")
    text = _printed(capsysbinary, "--select", "DEP002", str(state))
    assert text.endswith("1 state checked: 1 warning\n1 fixable with --fix --unsafe-fixes\n")


def test_concise(state: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    lines = _printed(capsysbinary, "--format", "concise", str(state)).splitlines()
    assert [" [*] " in line for line in lines] == [" DEP005 " in line for line in lines]


def test_json_and_sarif(state: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    document = json.loads(_printed(capsysbinary, "--format", "json", str(state)))
    expected = {"DEP002": "unsafe", "DEP005": "safe", "INS005": None}
    assert {one["code"]: one["fixable"] for one in document["files"][0]["findings"]} == expected
    assert (document["summary"]["fixable"], document["summary"]["fixable_unsafe"]) == (1, 1)
    results = json.loads(_printed(capsysbinary, "--format", "sarif", str(state)))["runs"][0]["results"]
    assert {one["ruleId"]: one.get("properties", {}).get("fixable") for one in results} == expected


@pytest.mark.parametrize("output_format", ["github", "junit"])
def test_formats_of_sentences(output_format: str, state: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    text = _printed(capsysbinary, "--format", output_format, str(state))
    assert text.count("`statetool check --fix` fixes this.") == 1
    assert text.count("`statetool check --fix --unsafe-fixes` fixes this.") == 1


def test_what_is_not_fixed_is_not_promised(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    fixtures = Path(__file__).parents[2] / "lint"
    for name in ("ADR002/fail-across-blocks", "PRV006/fail-empty-block-last", "PRV007/fail-dash-namespace"):
        state = tmp_path / "a.tfstate"
        state.write_bytes((fixtures / f"{name}.tfstate").read_bytes())
        text = _printed(capsysbinary, "--ignore", "STA", str(state))
        assert "fixable" not in text
        before = state.read_bytes()
        assert "fixable" not in _printed(capsysbinary, "--ignore", "STA", "--fix", "--unsafe-fixes", str(state))
        assert state.read_bytes() == before


def test_rules_say_it(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    main(["rule", "--format", "json"])
    rules = json.loads(capsysbinary.readouterr().out)["rules"]
    fixes = {rule["code"]: rule["fix"] for rule in rules}
    assert (fixes["DEP005"], fixes["DEP002"], fixes["ADR002"]) == ("safe", "unsafe", None)
    assert {code for code, fix in fixes.items() if fix} == {code for code, rule in all_rules().items() if rule.mend}
    index = pages()["rules/README.md"]
    assert "| A dependency is listed twice | `--fix` |" in index
    assert "| An instance appears twice | `repair` |" in index


def test_standard_input_is_shown_and_not_fixed(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    for option, status in (("--diff", 1), ("--fix", 2)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(state.read_bytes())))
        assert main(["check", "--no-settings", option, "-"]) == status
    captured = capsysbinary.readouterr()
    assert b"1 finding (1 DEP005) would be fixed" in captured.out
    assert b"name a file instead of standard input" in captured.err


@pytest.mark.parametrize("arguments", [["--fix", "--all"], ["--diff", "--format", "json"], ["--diff", "--statistics"]])
def test_options_that_contradict_each_other(arguments: list[str], state: Path) -> None:
    before = state.read_bytes()
    assert main(["check", *arguments, str(state)]) == 2
    assert state.read_bytes() == before


def test_only_the_status_of_a_quiet_diff(state: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["check", "--no-settings", "--diff", "--quiet", str(state)]) == 1
    assert main(["check", "--no-settings", "--diff", "--quiet", "--exit-zero", str(state)]) == 0
    assert capsysbinary.readouterr() == (b"", b"")


@pytest.mark.parametrize("option", ["--diff", "--fix"])
def test_exit_zero_is_only_for_findings(option: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.tfstate"
    broken.write_bytes(b"{")
    assert main(["check", "--no-settings", option, "--exit-zero", str(broken)]) == 2
    assert main(["check", "--no-settings", option, "--exit-zero", str(tmp_path / "missing.tfstate")]) == 2
