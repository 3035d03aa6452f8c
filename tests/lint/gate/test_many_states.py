"""So many states that processes share them: the result is that of one process, and nothing is left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.cli.main import main
from tests.lint.gate.states import resource, write_state
from tests.program import PROGRAM

# In folders of so many, one process checks all; in all of them together, there are several where there are processors.
_FOLDERS: Final = 3
_IN_ONE: Final = 80


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Folders of states, some of them with findings, and in each a link that leads nowhere and a file that is none."""
    monkeypatch.chdir(tmp_path)
    for folder in range(_FOLDERS):
        for number in range(_IN_ONE):
            status = {"status": "tainted"} if number % 7 == 0 else {}
            write_state(tmp_path / f"{folder}/{number:02}.tfstate", resource("a", **status))
        (tmp_path / f"{folder}/dangling.tfstate").symlink_to("nothing")
        (tmp_path / f"{folder}/empty.tfstate").touch()
    return [str(folder) for folder in range(_FOLDERS)]


def _checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], str]:
    assert main(["check", "--format", "json", *arguments]) == 2
    captured = capsys.readouterr()
    return json.loads(captured.out), captured.err


def test_as_one_process(names: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    one_by_one = [_checked(capsys, name) for name in names]
    together, messages = _checked(capsys, *names)
    for part in ("files", "unreadable"):
        assert together[part] == [item for document, _ in one_by_one for item in document[part]]
    assert len(together["files"]) == _FOLDERS * (_IN_ONE + 1)
    assert messages == "".join(told for _, told in one_by_one)


def test_hundreds_of_defects_of_many_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    defects: list[dict[str, Any]] = [
        {"status": "broken"},
        {"deposed": "short"},
        {"index_key": True},
        {"attributes": {"id": "x"}, "attributes_flat": {"id": "x"}},
        {"dependencies": ["aws_vpc.gone", "aws_vpc.gone", "not an address"]},
        {"sensitive_attributes": ["password"], "status": "tainted"},
    ]
    write_state(
        tmp_path / "one.tfstate",
        *(resource(f"r{number:03}", **defects[number % len(defects)]) for number in reversed(range(100))),
        serial=0,
        lineage="",
    )
    outputs = []
    for _ in range(2):
        assert main(["check", str(tmp_path), "--format", "json"]) == 1
        outputs.append(capsys.readouterr().out)
    (file,) = json.loads(outputs[0])["files"]
    addresses = [finding["address"] for finding in file["findings"]]
    assert addresses == sorted(addresses)
    assert {f"aws_vpc.r{number:03}" for number in range(100)} <= {address.partition("[")[0] for address in addresses}
    assert outputs[0] == outputs[1]


def test_an_interrupt_ends_all_processes(names: list[str], tmp_path: Path) -> None:
    # The second name is the first of a second process, which waits for what is written to this pipe.
    os.mkfifo(tmp_path / "pipe")
    states = sorted(str(path) for path in tmp_path.glob("*/[0-9]*.tfstate"))
    with subprocess.Popen(
        [PROGRAM, "check", states[0], "pipe", *states[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        # Comes back once the pipe is open at the other end.
        writing = os.open(tmp_path / "pipe", os.O_WRONLY)
        try:
            program.send_signal(signal.SIGINT)
            out, err = program.communicate()
            assert (program.returncode, out, err) == (128 + signal.SIGINT, b"", b"")
            with pytest.raises(BrokenPipeError):
                os.write(writing, b"{}")
        finally:
            os.close(writing)
