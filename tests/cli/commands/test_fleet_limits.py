"""States that are huge, slow or endless: a row with the error within the limit, little memory, and the run goes on."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.fleet.planting import made, planted
from tests.servers.http import Fault, StateServer, state_server

pytest.importorskip("duckdb")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a state is interrupted on Linux only")

_GOOD: Final = json.dumps(planted(made("aws_vpc", id="vpc-1"))).encode()
_START: Final = b'{"version": 4, "x": "'
_PIECE: Final = b" " * (1 << 20)
_REPOSITORY: Final = Path(__file__).parents[3]
# In bytes.
_MOST_MEMORY: Final = 300 << 20
# Runs statetool, and writes to a file what its largest process took.
_MEASURED: Final = """
import pathlib, resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "statefmt", *sys.argv[2:]])
pathlib.Path(sys.argv[1]).write_text(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(done.returncode)
"""


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Ends what is endless."""
    event = threading.Event()
    yield event
    event.set()


def _pipe(path: Path, over: threading.Event, data: bytes) -> None:
    """Write to a named pipe again and again, or nothing at all."""
    os.mkfifo(path)

    def write() -> None:
        while not over.is_set():
            with suppress(OSError), path.open("wb", buffering=0) as file:
                while not over.wait(0 if data else 0.05):
                    if data:
                        file.write(data)

    threading.Thread(target=write, daemon=True).start()


def _sparse(path: Path, start: bytes) -> None:
    with path.open("wb") as file:
        file.write(start)
        file.truncate(2 << 30)


def _bomb(content: bytes, times: int) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as file:
        for _ in range(times):
            file.write(content)
    return packed.getvalue()


@pytest.fixture
def hostile(folder: Path, over: threading.Event) -> Path:
    """A folder with one state among files that cost much."""
    states = folder / "states"
    states.mkdir()
    (states / "good.tfstate").write_bytes(_GOOD)
    _sparse(states / "zeros.tfstate", b"")
    _sparse(states / "brace.tfstate", _START)
    bomb = _bomb(_PIECE, 600)
    (states / "bomb.tfstate").write_bytes(bomb)
    (states / "nested.tfstate").write_bytes(gzip.compress(gzip.compress(bomb)))
    _pipe(states / "endless.tfstate", over, _START + _PIECE)
    _pipe(states / "idle.tfstate", over, b"")
    return states


@pytest.fixture
def servers() -> Iterator[Callable[[Fault], StateServer]]:
    """Make servers whose answers go wrong in one way."""
    with state_server() as one, state_server() as other:
        left = [one, other]

        def make(fault: Fault) -> StateServer:
            server = left.pop()
            server.faults = [("GET", fault)] * 20
            return server

        yield make


def test_all_that_costs_much(hostile: Path, folder: Path, servers: Callable[[Fault], StateServer]) -> None:
    """With the program itself, whose memory is measured with that of its workers."""
    endless = servers(Fault(200, {"Connection": "close"}, drips=_START + b" " * (64 << 20)))
    dripping = servers(Fault(200, {"Connection": "close"}, drips=b" "))
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        # Through a small process: the memory of this one would count as that of a child which it starts itself.
        program = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _MEASURED,
                folder / "used",
                "fleet",
                "index",
                hostile,
                endless.url,
                dripping.url,
                "--timeout",
                "8s",
            ],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(_REPOSITORY), "STATETOOL_ALLOW_HOST": "127.0.0.1"},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        assert program.wait() == 2
    assert (folder / "out").read_text().endswith(": 9 states: 1 read, 0 unchanged, 8 failed\n")
    lines = (folder / "err").read_text().splitlines()
    for name, reason in {
        "/zeros.tfstate": "it has 2,147,483,648 bytes; the limit is 201,326,592 bytes",
        "/brace.tfstate": "it has 2,147,483,648 bytes; the limit is 201,326,592 bytes",
        "/bomb.tfstate": "Unsupported state file format",
        "/nested.tfstate": "Unsupported state file format",
        "/endless.tfstate": "has more than 201,326,592 bytes, the limit",
        "/idle.tfstate": "it takes more than 8 s, the limit",
        endless.url: "the answer has more than 201,326,592 bytes, the limit",
        dripping.url: " 8 s",
    }.items():
        assert any(f"{name}: " in line and reason in line for line in lines), (name, lines)
    # Of the largest of its processes, in KiB.
    assert int((folder / "used").read_text()) << 10 < _MOST_MEMORY


def test_a_state_of_the_limit(folder: Path, statetool: Statetool) -> None:
    (folder / "a.tfstate").write_bytes(_GOOD + b" " * (2048 - len(_GOOD)))
    (folder / "b.tfstate").write_bytes(_GOOD + b" " * (2049 - len(_GOOD)))
    found = statetool("fleet", "index", ".", "--max-size", "2KiB")
    assert found.status == 2
    assert "2 states: 1 read, 0 unchanged, 1 failed" in found.text
    assert "b.tfstate: it has 2,049 bytes; the limit is 2,048 bytes, and --max-size raises it" in found.err
    # What failed is read again.
    assert statetool("fleet", "index", ".", "--max-size", "1MiB").status == 0


def test_the_variables_are_the_defaults(
    folder: Path, over: threading.Event, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.tfstate").write_bytes(_GOOD + b" " * 2048)
    _pipe(folder / "idle.tfstate", over, b"")
    monkeypatch.setenv("STATETOOL_MAX_SIZE", "2KiB")
    monkeypatch.setenv("STATETOOL_TIMEOUT", "0.5")
    found = statetool("fleet", "index", ".")
    assert "the limit is 2,048 bytes" in found.err
    assert "it takes more than 0.5 s, the limit, and --timeout raises it" in found.err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--max-size", "20", "must be a size with a unit, such as 20MiB: '20'"),
        ("--max-size", "0KiB", "must be a size with a unit"),
        ("--timeout", "0s", "a state takes some time"),
        ("--timeout", "x", "is not a duration"),
    ],
)
def test_invalid_limits(option: str, value: str, message: str, folder: Path, statetool: Statetool) -> None:
    (folder / "a.tfstate").write_bytes(_GOOD)
    found = statetool("fleet", "index", ".", option, value)
    assert found.status == 2
    assert message in found.err
