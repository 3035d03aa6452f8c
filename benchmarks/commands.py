"""The commands to measure, one a line, and the programs that they are compared with.

A name in braces is a property of `Case`: a file or an address, made when the first command asks for it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from typing import Final, NamedTuple

from benchmarks.case import STATETOOL, Case, nothing
from benchmarks.measure import Process
from benchmarks.shapes import Shape, dependencies, singles

# Programs that may do the work of one that is not there.
_STAND_INS: Final = {"terraform": "tofu", "sha256sum": "shasum"}
PARSE: Final = """
import os, sys, orjson
for path in os.scandir(sys.argv[1]) if os.path.isdir(sys.argv[1]) else sys.argv[1:]:
    with open(path, "rb") as file:
        orjson.loads(file.read())
"""
# Reads what any command must read, and leaves the values of providers raw.
_DECODE: Final = """
import sys, msgspec
from statefmt.formats.versions import StateV4
with open(sys.argv[1], "rb") as file:
    msgspec.json.decode(file.read(), type=StateV4)
"""
_JQ_DIFF: Final = (
    "jq -S . {state} >{state}.old && jq -S . {changed} >{state}.new && (diff {state}.old {state}.new; true)"
)


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
        case.printed(case.process((other.command[0], "state", "list", "-state={copy}"), side)._replace(prepare=nothing))
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
