"""Running statetool: inside this process, or as the real program where the process itself matters."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from statefmt.cli.main import main
from tests.program import PROGRAM

__all__ = ["PROGRAM", "Environment", "Program", "Result", "Statetool", "folder", "program", "statetool", "tree"]


class Result(NamedTuple):
    """What one run gave: its exit status, standard output and standard error."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


Statetool = Callable[..., Result]
Environment = Mapping[str, str] | None


class Program:
    """The program, started anew for each call."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"", environment: Environment = None) -> Result:
        return self._run([str(PROGRAM), *arguments], environment, stdin)

    def in_shell(self, line: str, *, environment: Environment = None) -> Result:
        """Run a line of sh, in which `statetool` is the program."""
        return self.in_shell_named("sh", line, environment=environment)

    def in_shell_named(self, shell: str, line: str, *, environment: Environment = None) -> Result:
        """Run a line of some shell, in which `statetool` is the program."""
        return self._run([shell, "-c", line], environment)

    def to(self, stdout: int, *arguments: str, environment: Environment = None) -> Result:
        """Start statetool with a file descriptor as its standard output."""
        return self._run([str(PROGRAM), *arguments], environment, stdout=stdout)

    def without_privileges(self, *arguments: str) -> Result:
        """Start statetool so that the modes of files hold for it, as they do not for root."""
        if os.geteuid() != 0:
            return self(*arguments)
        if shutil.which("setpriv") is None:
            pytest.skip("root may read and write everything, and setpriv is not there")
        return self._run(["setpriv", "--bounding-set=-all", str(PROGRAM), *arguments], None)

    def _run(
        self,
        command: Sequence[str | bytes],
        environment: Environment,
        stdin: bytes = b"",
        *,
        stdout: int = subprocess.PIPE,
    ) -> Result:
        done = subprocess.run(
            command,
            input=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env={**self.environment, **(environment or {})},
            check=False,
            # Nothing here takes long: this ends what would wait forever.
            timeout=120,
        )
        return Result(done.returncode, done.stdout or b"", done.stderr.decode())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and nothing in the environment that statetool looks at."""
    for name in ("TF_WORKSPACE", "TF_DATA_DIR", "NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def statetool(capfdbinary: pytest.CaptureFixture[bytes]) -> Statetool:
    """Call statetool with some arguments, in this process."""

    def call(*arguments: str) -> Result:
        capfdbinary.readouterr()
        status = main(list(arguments))
        out, err = capfdbinary.readouterr()
        return Result(status, out, err.decode())

    return call


@pytest.fixture
def program() -> Program:
    """Call statetool with some arguments, as a process of its own."""
    return Program({"PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"})


@pytest.fixture
def tree() -> Callable[[], dict[str, bytes]]:
    """All files of the current folder but the history of states, with b"" for what is no regular file."""

    def read() -> dict[str, bytes]:
        paths = sorted(path for path in Path().rglob("*") if ".statetool" not in str(path))
        return {str(path): path.read_bytes() if path.is_file() else b"" for path in paths}

    return read
