"""The report of an upgrade or a downgrade has a line for each kind of note, however many instances it concerns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import statefmt
from tests.cli.conftest import Statetool
from tests.cli.states import resource, state

COUNT = 12


def _old(**members: Any) -> bytes:
    instance = {"type": "a", "provider": "provider.aws", "depends_on": ["x.y"], "primary": {"id": "1"}, **members}
    resources = {f"a.b.{number}": instance for number in range(COUNT)}
    modules = [
        {"path": ["root"], "resources": resources, "outputs": {}},
        *({"path": ["root", name], "depends_on": ["x.y"], "outputs": {"o": {"value": "1"}}} for name in ("m", "n")),
    ]
    return json.dumps({"version": 3, "terraform_version": "0.11.14", "serial": 1, "modules": modules}).encode()


def test_upgrade(statetool: Statetool) -> None:
    Path("old").write_bytes(_old(deposed=[{"id": "2"}], extra=1))
    lines = " ".join(statetool("upgrade", "--registry", "keep", "old").err.split())
    names = ", ".join(f"a.b[{number}]" for number in range(8))
    assert lines.endswith(
        f' not carried over: in 12 instances: the unknown member "extra": {names} and 4 more.'
        f" not carried over: dependencies of 12 instances and 2 modules, which the next apply records again: {names} "
        "and 6 more."
        f" chosen: in 12 instances: a deposed object without a key gets the key 00000001: {names} and 4 more."
        " not carried over: outputs of 2 modules, which each run recomputes: module.m, module.n."
        " `statetool check --select STA010 STATE` on the old state lists all of them."
        " printed to standard output; old was not written; add --in-place to write the result to it"
    )


def test_the_command_lists_all(statetool: Statetool) -> None:
    Path("old").write_bytes(_old())
    shown = statetool("check", "--select", "STA010", "old").text
    assert all(f" a.b[{number}] " in shown for number in range(COUNT))


def test_the_library_keeps_single_findings() -> None:
    findings = statefmt.read(_old()).findings
    assert sum("its dependencies" in finding.detail for finding in findings) == COUNT + 2


def test_unknown_member_with_the_name_of_a_known_one(statetool: Statetool) -> None:
    """`outputs` of an instance are nothing that a run recomputes."""
    Path("old").write_bytes(_old(depends_on=[], outputs={"x": 1}))
    report = " ".join(statetool("upgrade", "--registry", "keep", "old").err.split())
    assert 'in 12 instances: the unknown member "outputs": a.b[0], ' in report


def test_unknown_members_of_format_4(statetool: Statetool) -> None:
    instances = [{"index_key": number, "extra": 1} for number in range(COUNT)]
    Path("state").write_bytes(state(resource("a", "b", *instances)))
    report = " ".join(statetool("fmt", "--stdout", "state").err.split())
    assert report.count("info STA008: ") + report.count("warning STA008: ") == 8
    assert "… and 4 more STA008 `statetool check --select STA008 STATE` on the old state lists all of them." in report


def test_downgrade(statetool: Statetool) -> None:
    instances = [{"index_key": number, "identity": {"id": "x"}} for number in range(COUNT)]
    outputs = {"o": {"value": "1", "type": "string", "deprecated": "x"}}
    Path("state").write_bytes(state(resource("a", "b", *instances), outputs=outputs))
    report = " ".join(statetool("downgrade", "--for", "1.8", "--drop-lossy", "state").err.split())
    names = ", ".join(f"a.b[{number}]" for number in range(8))
    assert f"does not keep it: identity in 12 places: {names} and 4 more output.o: deprecated" in report
