"""A state of one shape in a folder, with the files and addresses that the commands to measure name."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Final

from benchmarks.formats import LINEAGE
from benchmarks.measure import Process, run
from benchmarks.shapes import MACHINE, Shape

STATETOOL: Final = shutil.which("statetool", path=str(Path(sys.executable).parent)) or "statetool"
_CHANGED: Final = 20
_MANY: Final = 1_000
_OPERATIONS: Final = 150
_KEY: Final = re.compile(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]')


class Case:
    """A state of one shape in a folder, and what commands need besides."""

    def __init__(self, folder: Path, shape: Shape, size: int) -> None:
        self._folder = folder
        self.shape = shape
        self._size = size

    def process(self, command: tuple[str, ...], side: str) -> Process:
        """A command with its names filled in. `{copy}` is a fresh copy of the state, apart for each `side`.

        `{operation}` and `{operations}` are operations files for such a copy.
        """
        copy = self._folder / f"{side}.tfstate"
        files = {"{operation}": 1, "{operations}": _OPERATIONS}
        written = {name: self._operations_file(copy, count) for name, count in files.items() if name in command}
        words = [
            re.sub(r"\{(\w+)\}", lambda found: str(getattr(self, found[1])), word.replace("{copy}", str(copy)))
            for word in (str(written.get(word, word)) for word in command)
        ]
        is_copied = written or any("{copy}" in word for word in command)
        return Process(words, _copying(self.state, copy) if is_copied else nothing)

    def size_of(self, command: str) -> int:
        """The size of the state that a command reads; 0 if it reads none, a small one or many."""
        if "{huge}" in command:
            return self.huge.stat().st_size
        return 0 if "{small}" in command or "{many}" in command or "{" not in command else self.state.stat().st_size

    @cached_property
    def small(self) -> Path:
        return self._written("small", self._size // 100)

    @cached_property
    def state(self) -> Path:
        return self._written("state", self._size)

    @cached_property
    def huge(self) -> Path:
        return self._written("huge", self._size * 10)

    @cached_property
    def changed(self) -> Path:
        """The state, with other values in the first objects."""
        path = self._folder / "changed.tfstate"
        old, new = (f'"{text}"'.encode() for text in (MACHINE, "m6i.large"))
        path.write_bytes(self.state.read_bytes().replace(old, new, _CHANGED))
        return path

    @cached_property
    def many(self) -> Path:
        """A folder of 1,000 states, or fewer if these had more than a quarter of the bytes of the state."""
        folder = self._folder / "many"
        folder.mkdir()
        text = b"".join(self.shape.pieces(self._size // 4 // _MANY))
        for number in range(min(_MANY, max(1, self._size // 4 // len(text)))):
            lineage = f"{number:08x}{LINEAGE[8:]}".encode()
            (folder / f"{number:04}.tfstate").write_bytes(text.replace(LINEAGE.encode(), lineage, 1))
        return folder

    @cached_property
    def addresses(self) -> list[str]:
        """All addresses of the state."""
        return self.printed(Process([STATETOOL, "list", "--state", str(self.state)])).decode().splitlines()

    @cached_property
    def victim(self) -> str:
        """The address in the middle of the state that is not of a data source."""
        return self.managed[len(self.managed) // 2]

    @cached_property
    def managed(self) -> list[str]:
        return [one for one in self.addresses if "data" not in _KEY.sub("", one).split(".")]

    @cached_property
    def free(self) -> str:
        """An address in the root module to which the victim can move."""
        return f"{'.'.join(_KEY.sub('', self.victim).split('.')[-2:])}_moved"

    def _operations_file(self, state: Path, count: int) -> Path:
        """Write operations on instances all over a state, of several kinds in turn."""
        chosen = self.managed[:: max(1, len(self.managed) // count)][:count]
        kinds = itertools.cycle((_moving, _tainting, _moving, _forgetting))
        path = state.with_name(f"{state.stem}-{count}.stateops.hcl")
        blocks = [
            f'state "s" {{ path = "{state.name}" }}\n',
            *(kind(one) for kind, one in zip(kinds, chosen, strict=False)),
        ]
        path.write_text("".join(blocks))
        return path

    def printed(self, process: Process) -> bytes:
        """What a command prints."""
        output = self._folder / "output"
        run(process, output)
        return output.read_bytes()

    def _written(self, name: str, size: int) -> Path:
        path = self._folder / f"{name}.tfstate"
        self.shape.write(path, size)
        return path


def _moving(address: str) -> str:
    moved = re.sub(rf"({_KEY.pattern})?$", r"_moved\g<0>", address, count=1)
    return f"move {{\n  from = state.s.{address}\n  to = state.s.{moved}\n}}\n"


def _tainting(address: str) -> str:
    return f"taint {{\n  of = state.s.{address}\n}}\n"


def _forgetting(address: str) -> str:
    return f"forget {{\n  of = state.s.{address}\n}}\n"


def nothing() -> None:
    """Makes nothing ready."""


def _copying(source: Path, target: Path) -> Callable[[], None]:
    """Makes a fresh copy that is on disk and has no backups beside it."""

    def copy() -> None:
        for path in [*target.parent.glob(f"{target.name}*"), *target.parent.glob(f".{target.name}*")]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copyfile(source, target)
        descriptor = os.open(target, os.O_RDWR)
        os.fsync(descriptor)
        os.close(descriptor)

    return copy
