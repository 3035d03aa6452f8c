"""Running commands in forked processes, with kills and errors injected into their calls."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

_ROOT: Final = Path(__file__).resolve().parents[2]
# A guard against hangs: no command here takes a second.
_TIMEOUT: Final = 60
_MEMORY: Final = 1 << 30
_CALL: Final = re.compile(r"^(?:\[pid +)?(\d+)\]? +(\w+)\((.*)$")
_TRACED: Final = "trace=%file,%desc"


# No look for translations of messages.
_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "LANGUAGE": "C", "NO_COLOR": "1"}


class Ended(NamedTuple):
    """How a command ended: the exit status (negative: the signal), what it printed, and what it did, if recorded."""

    status: int
    out: str
    err: str
    timed_out: bool
    events: str = ""


class Call(NamedTuple):
    """A call of the system that a command makes: its name, which of that name it is, from 1 on, and its arguments."""

    name: str
    number: int
    arguments: str


class Forks:
    """Commands, each in a process of its own that is forked from one which has everything imported."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def __call__(
        self,
        folder: Path,
        *arguments: str,
        strace: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        memory: int = _MEMORY,
        unprivileged: bool = False,
        alone: bool = False,
        recorded: bool = False,
        timeout: float = _TIMEOUT,
    ) -> Ended:
        """Run a command in a folder.

        `memory` is what it may take beyond what the interpreter has. With `alone`, it has no variable of this process.
        With `recorded`, `events` has what it does, for `tests/strangers/recorder.py`.
        """
        assert self._server.stdin is not None
        request = {
            "folder": str(folder), "arguments": arguments, "strace": list(strace), "timeout": timeout,
            "environment": {**_ENVIRONMENT, **(environment or {})}, "memory": memory, "unprivileged": unprivileged,
            "alone": alone, "recorded": recorded,
        }  # fmt: skip
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return Ended(**self._answer())

    def killed(self, folder: Path, call: Call, *arguments: str) -> bool:
        """Run a command that is killed as it enters a call; False where it does not come to it."""
        return self(folder, *arguments, strace=_inject(call, "signal=SIGKILL")).status == -9

    def failing(self, folder: Path, call: Call, error: str, *arguments: str, for_good: bool = False) -> Ended:
        """Run a command to which the system refuses a call, or this one and all that follow."""
        return self(folder, *arguments, strace=_inject(call, f"error={error}", "+" if for_good else ""))

    def calls(self, folder: Path, *arguments: str) -> list[Call]:
        """The calls that a command makes. Those of threads of its own are left out: none of them touches files."""
        log = folder.parent / f"{folder.name}.calls"
        ended = self(folder, *arguments, strace=["-o", str(log), "-s", "200", "-e", _TRACED])
        assert ended.status == 0, (arguments, ended)
        lines = log.read_text("utf-8", "replace").splitlines()
        log.unlink()
        return list(_numbered(lines))

    def _answer(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        answer = json.loads(self._server.stdout.readline() or "null")
        assert isinstance(answer, dict), "the fork server died"
        return answer


@contextmanager
def forks() -> Iterator[Forks]:
    """The server of forks, for as long as it is needed."""
    command = [sys.executable, "-m", "tests.adversary.fork_server"]
    with subprocess.Popen(
        command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as server:
        assert server.stdout is not None
        assert json.loads(server.stdout.readline()) == {"ready": True}
        yield Forks(server)


def _inject(call: Call, what: str, and_following: str = "") -> list[str]:
    return ["-o", "/dev/null", "-e", f"trace={call.name}",
            "-e", f"inject={call.name}:{what}:when={call.number}{and_following}"]  # fmt: skip


def _numbered(lines: list[str]) -> Iterator[Call]:
    numbers: dict[str, int] = {}
    first = None
    for line in lines:
        match = _CALL.match(line)
        if match is None:
            continue
        process, name, arguments = match.groups()
        first = first or process
        if process == first:
            numbers[name] = numbers.get(name, 0) + 1
            yield Call(name, numbers[name], arguments)
