"""What is recorded of repeated members is what a real program reads today."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from tests.cli.conftest import folder
from tests.compat.program import Executable, Program
from tests.formats.recorded import in_one_order

__all__ = ["folder"]

_DATA: Final = Path(__file__).parents[1] / "conformance" / "repeated.jsonl.xz"
_CASES: Final = [json.loads(line) for line in lzma.decompress(_DATA.read_bytes()).splitlines()]


def test_as_recorded(real: Program, folder: Path) -> None:
    """A process for each command takes too long for all of them; `make slow` takes them all."""
    _compare(real, folder, _CASES[:: 10 if isinstance(real, Executable) else 1])


@pytest.mark.slow
def test_all_as_recorded(real: Program, folder: Path) -> None:
    _compare(real, folder, _CASES)


def _compare(real: Program, folder: Path, cases: list[dict[str, Any]]) -> None:
    for case in cases:
        (folder / "terraform.tfstate").write_text(case["state"])
        pulled = real.run(folder, "state", "pull")
        assert (pulled.status == 0) == (case["pull"] is not None), case["seed"]
        if pulled.status == 0:
            assert _comparable(pulled.out) == _comparable(case["pull"]), case["seed"]
            assert sorted(real.run(folder, "state", "list").out.splitlines()) == sorted(case["list"]), case["seed"]
            assert json.loads(real.run(folder, "output", "-json").out) == case["outputs"], case["seed"]


def _comparable(text: str) -> Any:
    """Return what a state says, without what the program adds: its version, and from 1.12 on that of each identity."""
    document = json.loads(in_one_order(text.encode()))
    del document["terraform_version"]
    for resource in document["resources"]:
        for instance in resource["instances"]:
            instance.pop("identity_schema_version", None)
    return document


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ('{"id":"1","id":"2","input":null,"output":null,"triggers_replace":null}', "2"),
        ('{"id":"1","input":null,"output":null,"triggers_replace":null,"id":null,"id":"3"}', "3"),
    ],
)
def test_the_last_of_repeated_attributes_counts(attributes: str, shown: str, real: Program, folder: Path) -> None:
    """As the rule STA009 says, and as statetool shows it."""
    provider = r"provider[\"terraform.io/builtin/terraform\"]"
    state = (
        '{"version":4,"serial":1,"lineage":"l","resources":[{"mode":"managed","type":"terraform_data","name":"a",'
        f'"provider":"{provider}","instances":[{{"schema_version":0,"attributes":{attributes}}}]}}]}}'
    )
    (folder / "terraform.tfstate").write_text(state)
    document = json.loads(real.run(folder, "show", "-json").out)
    assert document["values"]["root_module"]["resources"][0]["values"]["id"] == shown
    (instance,) = statefmt.open(folder / "terraform.tfstate").select()
    assert instance.attributes["id"] == shown
    assert "STA009" in {finding.code for finding in statefmt.check(state.encode())}
