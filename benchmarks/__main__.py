"""Measures statetool against other programs, or against another statetool: whole processes, which run in turn.

    python -m benchmarks [--size 10MB] [--only list,mv] [--shape singles] [-n 5] [--against STATETOOL] [--write]

All commands (`commands.py`) with all shapes (`shapes.py`) of 100 MB take over an hour and 2 GB of disk. `--against`
takes the path of another program, such as `.venv/bin/statetool` in a checkout of the commit before.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final, NamedTuple

from tabulate import tabulate

from benchmarks.commands import LINES, STATETOOL, Case, Line, Yardstick
from benchmarks.measure import Figures, RunError, in_turn, run
from benchmarks.shapes import SHAPES

_RESULTS: Final = Path(__file__).with_name("RESULTS.md")
_NOTES: Final = Path(__file__).with_name("NOTES.md")
_UNITS: Final = {"kB": 10**3, "MB": 10**6, "GB": 10**9}
# The shape and the size that the limits are for.
_LIMITS_FOR: Final = ("instances", 10**8)
# The exit status of statetool where it could not do something.
_REFUSED: Final = 2
# The cells from the time to the limit of the memory.
_NOTHING: Final = ("",) * 5
_LIBRARIES: Final = ("msgspec", "orjson", "typer")
_HEADERS: Final = (
    "command", "size", "shape", "against", "time", "at most", "processor", "memory", "at most", "statetool"
)  # fmt: skip


class Row(NamedTuple):
    """A row of the results: the number of its line, its ratio, the larger the worse, and its cells."""

    line: int
    ratio: float
    cells: tuple[str, ...]


class Bench:
    """One call of the program: which lines to measure, and how."""

    def __init__(self, size: int, runs: int, only: Sequence[str] | None = None, against: str | None = None) -> None:
        self._size = size
        self._runs = runs
        self._against = against is not None
        self._lines = [line for line in LINES if not only or line.name in only]
        if against is not None:
            # Without the limits, and once where a command has several yardsticks.
            names = {line.ours: line.name for line in self._lines}
            path = str(Path(against).resolve())
            self._lines = [Line(name, ours, Yardstick("other", (path, *ours.split()))) for ours, name in names.items()]
        self.left_out: list[str] = []

    def rows(self, shape: str, folder: Path, *, first: bool) -> Iterator[Row]:
        """The rows of all lines for one shape; those without a state only with the first one."""
        case = Case(folder, SHAPES[shape], self._size)
        for number, line in enumerate(self._lines):
            if "{huge}" in line.ours and shutil.disk_usage(folder).free < 15 * self._size:
                self.left_out.append(f"{line.name} of {self._size_of(line)}, {shape}: there is no room")
            elif first or "{" in line.ours:
                print(f"{shape}: {line.ours}, against {line.other.name}", file=sys.stderr, flush=True)
                head = (line.name, self._size_of(line), shape if "{" in line.ours else "")
                ratio, cells = self._measured(line, case, shape)
                yield Row(number, ratio, (*head, *cells))

    def _measured(self, line: Line, case: Case, shape: str) -> tuple[float, tuple[str, ...]]:
        """The ratio of the times, and the cells of a line; the ratio is 0 where there is nothing to compare."""
        ours = case.process((STATETOOL, *line.ours.split()), "ours")
        # The first run of each program does not count.
        try:
            run(ours)
        except RunError as error:
            if error.status != _REFUSED:
                raise
            print(error, file=sys.stderr)
            return 0, (line.other.name, *_NOTHING, "refused")
        yardstick = line.other.found()
        if yardstick is None:
            why = f"{line.other.command[0]} is missing"
        else:
            other = case.process(yardstick.command, "other")
            try:
                run(other)
            except RunError as error:
                print(error, file=sys.stderr)
                why = f"{yardstick.name} fails"
            else:
                if line.same(case, ours, other):
                    limited = "{" not in line.ours or (shape, self._size) == _LIMITS_FOR
                    pairs = in_turn(ours, other, self._runs)
                    return self._compared(line if limited else Line(line.name, line.ours, yardstick), yardstick, pairs)
                why = f"{yardstick.name} has another result"
        return 0, (why, *_NOTHING, _shown([run(ours) for _ in range(self._runs)]))

    def _compared(
        self, line: Line, other: Yardstick, pairs: Sequence[tuple[Figures, Figures]]
    ) -> tuple[float, tuple[str, ...]]:
        clock = [ours.clock / theirs.clock / other.times for ours, theirs in pairs]
        processor = [ours.processor / theirs.processor / other.times for ours, theirs in pairs]
        memory = [ours.memory / theirs.memory for ours, theirs in pairs]
        return statistics.median(clock), (
            other.name,
            ratio_text(clock, spread=self._against),
            _limit(clock, line.limit),
            ratio_text(processor, spread=self._against),
            ratio_text(memory),
            _limit(memory, line.memory_limit),
            _shown([ours for ours, _ in pairs]),
        )

    def _size_of(self, line: Line) -> str:
        parts = {"{small}": 0.01, "{huge}": 10, "{many}": 0.25}
        size = self._size * next((part for place, part in parts.items() if place in line.ours), 1) / 1e6
        text = f"{size:,.0f} MB" if size >= 1 else f"{size:g} MB"
        return f"{text}, many" if "{many}" in line.ours else text if "{" in line.ours else ""


def ratio_text(ratios: Sequence[float], *, spread: bool = False) -> str:
    """The median; with `spread` also how far the ratios lie apart, and whether all are on one side of 1."""
    median = f"{statistics.median(ratios):.3f}"
    side = ", all more" if min(ratios) > 1 else ", all less" if max(ratios) < 1 else ""
    return f"{median} ({min(ratios):.2f} to {max(ratios):.2f}{side})" if spread else median


def _limit(ratios: Sequence[float], limit: float | None) -> str:
    return "" if limit is None else f"{limit:g}{' ✓' if statistics.median(ratios) <= limit else ''}"


def _shown(figures: Sequence[Figures]) -> str:
    clock, memory = (statistics.median(column) for column in ([f.clock for f in figures], [f.memory for f in figures]))
    return f"{clock:.2f} s, {memory:.0f} MB"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure statetool against others.")
    names = list(dict.fromkeys(line.name for line in LINES))
    parser.add_argument("--size", type=_bytes, default=_LIMITS_FOR[1], help="of the states: 10MB; default: 100MB")
    parser.add_argument("--only", type=_some(names), help=f"only these commands: {', '.join(names)}")
    parser.add_argument("--shape", type=_some(list(SHAPES)), help=f"only these shapes: {', '.join(SHAPES)}")
    parser.add_argument("-n", "--runs", type=int, default=5, help="how many runs the medians are of; default: 5")
    parser.add_argument("--against", metavar="STATETOOL", help="compare with this program instead; 5 runs or more")
    parser.add_argument("--write", action="store_true", help=f"write the results to {_RESULTS.name}, too")
    given = parser.parse_args()
    if given.runs < (5 if given.against else 1):
        parser.error("-n is less than 5, which --against needs" if given.against else "-n is less than 1")
    if given.write and (given.against or given.only or given.shape):
        parser.error("--write takes all commands and shapes, and no --against")
    return given


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)([kMG]B)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 500kB, 10MB or 1GB")
    return int(found[1]) * _UNITS[found[2]]


def _some(names: Sequence[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        given = text.split(",")
        for name in given:
            if name not in names:
                raise argparse.ArgumentTypeError(f"{name!r} is none of: {', '.join(names)}")
        return given

    return parse


def main() -> None:
    """Measure, and print the results after each shape."""
    given = _arguments()
    # As installed: with the compiled modules that the first run leaves; and nobody asks for a newer Terraform.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.pop("TF_CLI_CONFIG_FILE", None)
    os.environ["CHECKPOINT_DISABLE"] = "1"
    bench, rows = Bench(given.size, given.runs, given.only, given.against), list[Row]()
    with tempfile.TemporaryDirectory() as home:
        # The command line configuration that Terraform looks for.
        os.environ["HOME"] = home
        Path(home, ".terraformrc").touch()
        Path(home, ".tofurc").touch()
        for shape in given.shape or SHAPES:
            with tempfile.TemporaryDirectory() as folder:
                rows += bench.rows(shape, Path(folder), first=not rows)
            if given.write:
                page = "\n".join(_page(_table(rows), given.runs, bench.left_out))
                _RESULTS.write_text(page, encoding="utf-8")
    print(_table(rows), *(f"Left out: {what}." for what in bench.left_out), sep="\n")


def _table(rows: Sequence[Row]) -> str:
    """The lines in their order, and the shapes of each from the worst to the best."""
    cells = [row.cells for row in sorted(rows, key=lambda row: (row.line, -row.ratio))]
    return tabulate(cells, headers=_HEADERS, tablefmt="github", disable_numparse=True)


def _page(table: str, runs: int, left_out: list[str]) -> Iterator[str]:
    yield "# How fast statetool is"
    yield ""
    yield "Written by `make bench`. Two programs run in turn on one machine, as whole processes. Each figure is the"
    yield f"median of the ratios of {runs} pairs of runs: below 1, statetool takes less. `time` is on the clock,"
    yield "`processor` is the time of all processors, `memory` the most that a process held. The worst shape of a"
    yield "command comes first. Rows without figures say why. The limits are for the shape `instances` at 100 MB."
    yield ""
    yield f"Processor: {_processor()}, {os.cpu_count()} cores; {platform.system()};"
    yield f"Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in _LIBRARIES)}."
    yield from (f"Left out: {what}." for what in left_out)
    yield ""
    yield table
    yield ""
    yield _NOTES.read_text(encoding="utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
