"""What is recorded of repeated members is what a real program reads today."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Final

import pytest

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
