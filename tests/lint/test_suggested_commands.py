"""The commands that findings suggest: each can be run as it stands, and does away with the finding."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.cli.main import main
from statefmt.formats.reading import inspect
from statefmt.lint.check import check
from statefmt.model.findings import Command, Finding
from statefmt.render.findings import fix_text
from tests.lint.states import text
from tests.lint.test_cases import REPORTED
from tests.tables import each_row

_FOLDER: Final = Path(__file__).parent
_FAILING: Final = [
    *((path.parent.name, path.stem, path.read_bytes())
      for path in sorted(_FOLDER.glob("*/fail-*.tfstate")) if "-for-" not in path.stem),
    *((code, str(number), text(case[0])) for code, cases in REPORTED.items() for number, case in enumerate(cases)),
]  # fmt: skip
_COMMAND: Final = re.compile("`(statetool [^`]*)`")
# Only what nobody but the user knows is left to fill in.
_FILLED_IN: Final = {
    "NUMBER": "7",
    '.by_region["KEY"]': '.by_region["eu-west-1"]',
    '"KEY"': '"key"',
    "ENGINE": "opentofu",
    "=NAMESPACE/": "=hashicorp/",
}


def _found(data: bytes, name: str | None, code: str | None = None) -> list[Finding]:
    return check(data, select=None if code is None else [code], name=name)


def _suggested(findings: list[Finding], code: str) -> Iterator[tuple[Finding, str]]:
    for finding in findings:
        if finding.code == code:
            yield from ((finding, command) for command in _COMMAND.findall(fix_text(finding.fix)))


def _commands() -> Iterator[Any]:
    for code, label, data in _FAILING:
        for number, (_, command) in enumerate(_suggested(_found(data, None, code), code)):
            yield pytest.param(code, data, number, id=f"{code}/{label}-{command.split()[1]}-{number}")


@each_row(("code", "data", "number"), list(_commands()))
def test_a_suggested_command_does_away_with_its_finding(code: str, data: bytes, number: int, tmp_path: Path) -> None:
    state = tmp_path / "a state.tfstate"
    state.write_bytes(data)
    finding, command = list(_suggested(_found(data, str(state)), code))[number]
    for placeholder, word in _FILLED_IN.items():
        command = command.replace(placeholder, word)
    program, name, *arguments = shlex.split(command)
    assert (program, arguments[-2:]) == ("statetool", ["--state", str(state)])
    if "`, once the state" in fix_text(finding.fix):
        before = inspect(state.read_bytes())
        refused = "can be read" if before.snapshot is None else "is upgraded"
        assert (before.snapshot is None or before.version != 4) and fix_text(finding.fix).endswith(
            f"`, once the state {refused}."
        )
        return
    if name == "repair":
        # It shows the choices; test_ways_out_of_errors.py makes one.
        assert main([name, *arguments]) == 1
        return
    assert main([name, *arguments, "--yes"]) == 0
    after = _found(state.read_bytes(), str(state))
    assert (finding.code, finding.address, finding.detail) not in {(f.code, f.address, f.detail) for f in after}


def _state(*instances: dict[str, Any]) -> bytes:
    resource = {"mode": "managed", "type": "t", "name": "n", "provider": 'provider["a/b/c"]', "instances": instances}
    return json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": [resource]}).encode()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        pytest.param(None, "`statetool untaint t.n`", id="nobody knows"),
        pytest.param("-", "`statetool untaint t.n --state -`", id="standard input"),
        pytest.param("a b.tfstate", "`statetool untaint t.n --state 'a b.tfstate'`", id="a file"),
    ],
)
def test_the_file_is_named(name: str | None, command: str) -> None:
    (finding,) = check(_state({"status": "tainted"}), select=["INS005"], name=name)
    assert fix_text(finding.fix) == f"If it is sound: {command}."


def test_commands_are_data_without_quotes() -> None:
    state = _state({"index_key": "it's", "status": "tainted"})
    (finding,) = check(state, select=["INS005"], name="a b.tfstate")
    assert finding.fix.commands == (Command("untaint", ('t.n["it\'s"]', "--state", "a b.tfstate")),)


@each_row("data", [data for _, _, data in _FAILING], ids=[f"{code}/{label}" for code, label, _ in _FAILING])
def test_the_text_of_a_fix_has_its_commands(data: bytes) -> None:
    for finding in _found(data, "a b.tfstate"):
        told = [shlex.split(command) for command in _COMMAND.findall(fix_text(finding.fix))]
        assert told == [["statetool", command.name, *command.arguments] for command in finding.fix.commands]


def test_no_command_on_all_instances_where_one_is_meant() -> None:
    state = _state({"index_key": "a", "status": "tainted"}, {"status": "tainted"})
    assert {finding.address: fix_text(finding.fix) for finding in check(state, select=["INS005"])} == {
        't.n["a"]': "If it is sound: `statetool untaint 't.n[\"a\"]'`.",
        "t.n": "If it is sound: t.n selects all instances of the resource, so first `statetool rekey t.n --map =KEY`.",
    }


def test_what_is_no_state_is_not_worked_on() -> None:
    """The file of init has no findings about canonical form and upgrades, whose commands would rewrite it."""
    backend = b'{"version": 3, "serial": 1, "backend": {"type": "s3", "config": {}}}'
    assert [finding.code for finding in check(backend, select=["STA007", "STA010", "STA012"])] == ["STA012"]
    assert not [command for finding in check(backend) for command in finding.fix.commands]
