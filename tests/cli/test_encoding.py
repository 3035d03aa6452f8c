"""Names and addresses beyond ASCII come out as they are, whatever the locale says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.cli.states import HAND_EDITED, resource, state

GREEK = "αβγ"
ODD_NAME = b"odd-\xff.tfstate"


@pytest.fixture(autouse=True)
def states(folder: Path) -> None:
    (folder / "greek").write_bytes(state(resource("aws_instance", "web", {"index_key": GREEK})))
    (folder / "edited").write_bytes(HAND_EDITED)


@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}],
    ids=str,
)
def test_locale(environment: dict[str, str], program: Program) -> None:
    assert program("list", "--state", "greek", environment=environment) == (
        0,
        f'aws_instance.web["{GREEK}"]\n'.encode(),
        "",
    )
    checked = program("check", "edited", environment=environment)
    assert (checked.status, checked.err) == (0, "")
    assert "→ To rewrite it: `statetool fmt".encode() in checked.out


def test_file_name_that_is_no_text(program: Program) -> None:
    try:
        Path(os.fsdecode(ODD_NAME)).write_bytes(HAND_EDITED)
    except OSError:
        pytest.skip("this file system takes no such names")
    assert program("fmt", "--check", ODD_NAME) == (1, ODD_NAME + b"\n", "")
    assert program("check", ODD_NAME).out.startswith(b"info    STA007 [*]  odd-\\udcff.tfstate")
    (file,) = json.loads(program("check", "--format", "json", ODD_NAME).out)["files"]
    assert file["path"] == "odd-\\udcff.tfstate"
    assert program("fmt", b"missing-\xff") == (2, b"", "statetool: missing-\\udcff: there is no such file\n")
