"""Running statetool in a folder whose state is in a backend, with proxies on the way to it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.backends.spots import Spot, record
from tests.cli.conftest import PROGRAM, Result
from tests.servers.cutting import PATIENCE, Line, proxied

_LIMIT: Final = 240.0


class Folder:
    """A folder that `init` has prepared; commands run in it as processes of their own."""

    def __init__(self, path: Path, environment: Mapping[str, str] | None = None) -> None:
        self.path: Final = path
        self._environment: Final = {
            "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
            "HOME": str(path), "XDG_STATE_HOME": str(path / "kept"), "AWS_EC2_METADATA_DISABLED": "true",
            **(environment or {}),
        }  # fmt: skip

    def start(self, *arguments: str, under: Sequence[str] = ()) -> subprocess.Popen[bytes]:
        """Start a command, under another one if that is given."""
        return subprocess.Popen(
            [*under, str(PROGRAM), *arguments],
            cwd=self.path,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __call__(self, *arguments: str) -> Result:
        """Run a command."""
        return ended(self.start(*arguments))


def ended(process: subprocess.Popen[bytes]) -> Result:
    """How a command ended; the status is negative for a signal."""
    out, err = process.communicate(timeout=_LIMIT)
    return Result(process.returncode, out, err.decode())


@contextmanager
def reaching(path: Path, spot: Spot, line: Line) -> Iterator[Folder]:
    """A folder that reaches a state over a line."""
    with ExitStack() as stack:
        addresses = [stack.enter_context(proxied(server, spot.serve, line)) for server in spot.servers]
        yield prepared(path, record(spot, addresses))


def prepared(path: Path, recorded: bytes) -> Folder:
    """A folder with what `init` recorded."""
    (path / ".terraform").mkdir(parents=True)
    (path / ".terraform" / "terraform.tfstate").write_bytes(recorded)
    return Folder(path)


def kill(pid: int) -> None:
    """Send SIGKILL to a process, and wait until it is dead."""
    handle = os.pidfd_open(pid)
    try:
        os.kill(pid, signal.SIGKILL)
        assert select.select([handle], [], [], PATIENCE)[0], "it does not die"
    finally:
        os.close(handle)


def interrupt(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process, and wait until it has taken it, holds it back, or is dead."""
    os.kill(pid, number)
    bit = 1 << (number - 1)
    handle = os.pidfd_open(pid)
    try:
        # A process that waits takes it within microseconds; nothing tells of that but the process's status.
        while _mask(pid, "ShdPnd") & bit and not _mask(pid, "SigBlk") & bit:
            if select.select([handle], [], [], 0.001)[0]:
                return
    finally:
        os.close(handle)


def _mask(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value, 16)
    return 0
