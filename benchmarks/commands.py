"""The commands to measure, one a line, and the programs that they are compared with.

A name in braces is a property of `Case`: a file or an address, made when the first command asks for it.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.measure import Process, run
from benchmarks.shapes import LINEAGE, MACHINE, Shape, dependencies, singles

STATETOOL: Final = shutil.which("statetool", path=str(Path(sys.executable).parent)) or "statetool"
# Programs that may do the work of one that is not there.
_STAND_INS: Final = {"terraform": "tofu", "sha256sum": "shasum"}
_CHANGED: Final = 20
_MANY: Final = 1_000
OPERATIONS: Final = 150
_KEY: Final = re.compile(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]')
PARSE: Final = """
import os, sys, orjson
for path in os.scandir(sys.argv[1]) if os.path.isdir(sys.argv[1]) else sys.argv[1:]:
    with open(path, "rb") as file:
        orjson.loads(file.read())
"""
# Reads what any command must read, and leaves the values of providers raw.
_DECODE: Final = """
import sys, msgspec
from statefmt.formats.versions.v4 import StateV4
with open(sys.argv[1], "rb") as file:
    msgspec.json.decode(file.read(), type=StateV4)
"""
_JQ_DIFF: Final = (
    "jq -S . {state} >{state}.old && jq -S . {changed} >{state}.new && (diff {state}.old {state}.new; true)"
)


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
        files = {"{operation}": 1, "{operations}": OPERATIONS}
        written = {name: self._operations_file(copy, count) for name, count in files.items() if name in command}
        words = [
            re.sub(r"\{(\w+)\}", lambda found: str(getattr(self, found[1])), word.replace("{copy}", str(copy)))
            for word in (str(written.get(word, word)) for word in command)
        ]
        is_copied = written or any("{copy}" in word for word in command)
        return Process(words, _copying(self.state, copy) if is_copied else _nothing)

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


Same = Callable[[Case, Process, Process], bool]


def _same_output(case: Case, ours: Process, other: Process) -> bool:
    return case.printed(ours) == case.printed(other)


def _unchanged(case: Case, ours: Process, other: Process) -> bool:
    """Whether ours prints a canonical state as it is."""
    return not case.shape.canonical or case.printed(ours) == case.state.read_bytes()


def _same_changes(case: Case, ours: Process, other: Process) -> bool:
    """Whether ours finds what was changed, but for states with fewer objects."""
    found = json.loads(case.printed(ours._replace(command=[*ours.command, "--format", "json"])))
    lines = case.changed.read_bytes().count(b'"m6i.large"')
    return len(found["changed"]) == lines and not found["added"] and not found["removed"]


def _same_instances(case: Case, ours: Process, other: Process) -> bool:
    """Whether both left the same instances in their copies, as the other program lists them."""
    one, two = (
        case.printed(
            case.process((other.command[0], "state", "list", "-state={copy}"), side)._replace(prepare=_nothing)
        )
        for side in ("ours", "other")
    )
    return one == two != b""


class Yardstick(NamedTuple):
    """Another program: its name in the results, its command, and how many times it would have to run."""

    name: str
    command: tuple[str, ...]
    times: int = 1

    def found(self) -> Yardstick | None:
        """The same with the path of the program, or of one that stands in for it; None if there is neither."""
        program, *arguments = self.command
        for name in (program, _STAND_INS.get(program, program)):
            if path := shutil.which(name):
                return self._replace(name=self.name.replace(program, name), command=(path, *arguments))
        return None


Limit = Callable[[Shape], float | None]


def _none(shape: Shape) -> None:
    """No limit."""


def _at_most(limit: float) -> Limit:
    """The same limit for all shapes."""
    return lambda shape: limit


def _for_check(shape: Shape) -> float:
    """Resources with one instance, and dependencies, are checked one by one."""
    return 3 if shape.parts in (singles, dependencies) else 2


def _for_rewriting(shape: Shape) -> float:
    return 0.25 if shape.canonical else 0.5


class Line(NamedTuple):
    """A name, the arguments of statetool, another program, the limits, and whether both do the same.

    The limits are for time and memory as parts of the other program's, and for memory as a part of the file.
    """

    name: str
    ours: str
    other: Yardstick
    time: Limit = _none
    memory: Limit = _none
    memory_of_file: Limit = _none
    same: Same = lambda case, ours, other: True

    @property
    def key(self) -> str:
        """What no other line has."""
        return f"{self.ours}, {self.other.name}"

    @property
    def limits(self) -> tuple[Limit, Limit, Limit]:
        return self.time, self.memory, self.memory_of_file

    @property
    def states(self) -> int:
        """How many states of full size the command reads."""
        return sum(name in self.ours for name in ("{state}", "{changed}", "{copy}", "{operations}"))


def _terraform(command: str, *arguments: str) -> Yardstick:
    return Yardstick(f"terraform {command}", ("terraform", *command.split(), *arguments))


FLOOR: Final = (sys.executable, "-c", _DECODE, "{state}")
_ORJSON: Final = Yardstick("one orjson.loads", (sys.executable, "-c", PARSE, "{state}"))
_ORJSON_MANY: Final = Yardstick("orjson.loads of each", (sys.executable, "-c", PARSE, "{many}"))
_JQ: Final = Yardstick("jq .", ("jq", ".", "{state}"))
_LIST: Final = "list --state {state}"
_MV: Final = _terraform("state mv", "-state={copy}", "{victim}", "{free}")
_ONE_OPERATION: Final = Yardstick("one operation", (STATETOOL, "apply", "--yes", "{operation}"))
_SMALL: Final = _at_most(1.6)

LINES: Final = (
    Line("start-up", "--version", _terraform("version"), _at_most(1.6)),
    Line("list", "list --state {small}", _terraform("state list", "-state={small}"), _at_most(1.4), same=_same_output),
    Line("list", _LIST, _terraform("state list", "-state={state}"), _at_most(0.2), memory_of_file=_SMALL,
         same=_same_output),
    Line("list", _LIST, Yardstick("sha256sum", ("sha256sum", "{state}"))),
    Line("list", "list --state {huge}", Yardstick("10 times a tenth", (STATETOOL, *_LIST.split()), 10), _at_most(1.3),
         memory_of_file=_at_most(1.5)),
    Line("show", "show --state {state} {victim}", Yardstick("list", (STATETOOL, *_LIST.split())), _at_most(1.2)),
    Line("stats", "stats {state}", _ORJSON, memory_of_file=_SMALL),
    Line("providers", "providers {state}", _ORJSON),
    Line("graph", "graph {state}", _ORJSON),
    Line("check", "check --no-settings {state}", _ORJSON, _for_check, memory_of_file=_SMALL),
    Line("check", "check --no-settings {many}", _ORJSON_MANY),
    Line("fmt", "fmt --stdout {state}", _JQ, _for_rewriting, same=_unchanged),
    Line("fmt --check", "fmt --check {state}", _JQ, _for_rewriting),
    Line("upgrade", "upgrade --style keep {state}", _JQ, _for_rewriting, same=_unchanged),
    Line("diff", "diff {state} {changed}", Yardstick("jq -S, diff", ("sh", "-c", _JQ_DIFF)), _at_most(0.1),
         same=_same_changes),
    Line("mv", "mv --yes --state {copy} {victim} {free}", _MV, _at_most(0.08), _at_most(0.12), _SMALL, _same_instances),
    Line("rm", "rm --yes --state {copy} {victim}", _terraform("state rm", "-state={copy}", "{victim}"), _at_most(0.08),
         _at_most(0.12), same=_same_instances),
    Line("apply", "apply --yes {operations}", _ONE_OPERATION, _at_most(3)),
)  # fmt: skip


def _nothing() -> None:
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
