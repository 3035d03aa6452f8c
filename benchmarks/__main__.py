"""Measures statetool against other programs, or against another statetool: whole processes, which run in turn.

    python -m benchmarks [--size 10MB] [--only list,mv] [--shape singles] [-n 3] [--against STATETOOL] [--write]

All commands (`commands.py`) with all shapes (`shapes.py`) of 100 MB, and `check` with the hostile shapes
(`hostile/`), take half an hour and 3 GB of disk. `--write` puts rows in the place of those of the same commands and
shapes in the results, so that a part can be measured anew. `--against` takes the path of another program, such as
`.venv/bin/statetool` in a checkout of the commit before.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Final

from benchmarks.case import STATETOOL, Case
from benchmarks.commands import FLOOR, LINES, PARSE, Line, Yardstick
from benchmarks.hostile import HOSTILE as HOSTILE_SHAPES
from benchmarks.measure import MEGABYTE, REFUSED, Process, RunError, Runs
from benchmarks.results import HOSTILE, PAGE, Row, figures_text, kept, ratio_text, tables, write_page
from benchmarks.shapes import SHAPES

_UNITS: Final = {"kB": 10**3, "MB": 10**6, "GB": 10**9}
# What the limits are for.
_FULL_SIZE: Final = 10**8
# Where a state of ten times the size is measured, too.
_HUGE_SHAPES: Final = ("singles", "diverse")
# Seconds. The spread of programs that take longer is small beside their distance to the limits.
_SLOW: Final = 5.0
# The cells from the time to the floor.
_NOTHING: Final = ("",) * 5


class Bench:
    """One call of the program: which lines to measure, and how."""

    def __init__(self, size: int, runs: int, only: Sequence[str] | None = None, against: str | None = None) -> None:
        self._size = size
        self._count = runs
        self._against = against is not None
        self._lines = [line for line in LINES if not only or line.name in only]
        if against is not None:
            # Without the limits, and once where a command has several yardsticks.
            names = {line.ours: line.name for line in self._lines}
            path = str(Path(against).resolve())
            self._lines = [Line(name, ours, Yardstick("other", (path, *ours.split()))) for ours, name in names.items()]
        self.lines = [line.key for line in self._lines]

    def rows(self, shape: str, folder: Path, *, first: bool) -> Iterator[Row]:
        """The rows of all lines for one shape, or of the hostile ones; those without a state only with the first."""
        runs = Runs(inf if self._against else _SLOW)
        if shape == HOSTILE:
            yield from self._hostile(folder, runs)
            return
        case = Case(folder, SHAPES[shape], self._size)
        for line in self._lines:
            if ("{huge}" in line.ours and shape not in _HUGE_SHAPES) or not (first or "{" in line.ours):
                continue
            shown = shape if "{" in line.ours else ""
            print(f"{shape}: {line.ours}, against {line.other.name}", file=sys.stderr, flush=True)
            if "{huge}" in line.ours and shutil.disk_usage(folder).free < 15 * self._size:
                measured: tuple[float, tuple[str, ...]] = 0.0, ("there is no room", *_NOTHING, "")
            else:
                measured = self._measured(line, case, runs)
            yield Row(line.key, shown, measured[0], (line.name, self._size_of(line), shown, *measured[1]))

    def _measured(self, line: Line, case: Case, runs: Runs) -> tuple[float, tuple[str, ...]]:
        """The ratio of the times, and the cells of a line; the ratio is 0 where there is nothing to compare."""
        ours = case.process((STATETOOL, *line.ours.split()), "ours")
        try:
            runs.run(ours)
        except RunError as error:
            if error.status != REFUSED:
                raise
            print(error, file=sys.stderr)
            return 0, (line.other.name, *_NOTHING, "refused")
        yardstick, pairs = line.other.found(), []
        if yardstick is None:
            against = f"{line.other.command[0]} is missing"
        else:
            other = case.process(yardstick.command, "other")
            try:
                runs.run(other)
                against = yardstick.name + ("" if line.same(case, ours, other) else ": another result")
                pairs = runs.in_turn(ours, other, self._count)
            except RunError as error:
                print(error, file=sys.stderr)
                against = f"{yardstick.name} fails"
        limited = self._size == _FULL_SIZE or "{" not in line.ours
        time, memory, of_file = (limit(case.shape) if limited else None for limit in line.limits)
        figures = [one for one, _ in pairs] or [runs.run(ours, number) for number in range(self._count)]
        clock = [one.clock / two.clock / line.other.times for one, two in pairs]
        file = case.size_of(line.ours) / MEGABYTE
        return sorted(clock)[len(clock) // 2] if clock else 0, (
            against,
            ratio_text(clock, time, spread=self._against),
            ratio_text([one.processor / two.processor / line.other.times for one, two in pairs], spread=self._against),
            ratio_text([one.memory / two.memory for one, two in pairs], memory),
            ratio_text([one.memory / file for one in figures if file], of_file),
            "" if self._against else self._floor(line, case, runs, ours),
            figures_text(figures),
        )

    def _floor(self, line: Line, case: Case, runs: Runs, ours: Process) -> str:
        """The time as a multiple of that of decoding the same states; nothing where there is no state of format 4."""
        floor = case.process(FLOOR, "other")
        try:
            pairs = runs.in_turn(ours, floor, self._count) if line.states else []
        except RunError:
            return ""
        return ratio_text([one.clock / two.clock / line.states for one, two in pairs])

    def _hostile(self, folder: Path, runs: Runs) -> Iterator[Row]:
        """The time of `check` for states of a twentieth of the size, beside that of parsing one of twice the size."""
        if self._against or not any(line.name == "check" for line in self._lines):
            return
        parsed, limit = folder / "parsed.tfstate", 1 if self._size == _FULL_SIZE else None
        SHAPES["instances"].write(parsed, 2 * self._size)
        other = Process([sys.executable, "-c", PARSE, str(parsed)])
        for name, shape in HOSTILE_SHAPES.items():
            print(f"hostile: {name}", file=sys.stderr, flush=True)
            state = folder / f"{name}.tfstate"
            state.write_bytes(shape(self._size // 20))
            head = ("check", _megabytes(self._size / 20), name, f"orjson.loads of {_megabytes(2 * self._size)}")
            ours = Process([STATETOOL, "check", "--no-settings", str(state)], may_refuse=True)
            pairs = runs.in_turn(ours, other, self._count)
            clock = [one.clock / two.clock for one, two in pairs]
            cells = (
                ratio_text(clock, limit),
                ratio_text([one.processor / two.processor for one, two in pairs]),
                ratio_text([one.memory / two.memory for one, two in pairs]),
                ratio_text([one.memory * MEGABYTE / state.stat().st_size for one, _ in pairs]),
                "",
                figures_text([one for one, _ in pairs]),
            )
            yield Row(HOSTILE, name, sorted(clock)[len(clock) // 2], (*head, *cells))
            state.unlink()

    def _size_of(self, line: Line) -> str:
        parts = {"{small}": 0.01, "{huge}": 10, "{many}": 0.25}
        text = _megabytes(self._size * next((part for place, part in parts.items() if place in line.ours), 1))
        return f"{text}, many" if "{many}" in line.ours else text if "{" in line.ours else ""


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e6:g} MB"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure statetool against others.")
    names, shapes = list(dict.fromkeys(line.name for line in LINES)), [*SHAPES, HOSTILE]
    parser.add_argument("--size", type=_bytes, default=_FULL_SIZE, help="of the states: 10MB; default: 100MB")
    parser.add_argument("--only", type=_some(names), help=f"only these commands: {', '.join(names)}")
    parser.add_argument("--shape", type=_some(shapes), default=shapes, help=f"only these shapes: {', '.join(shapes)}")
    parser.add_argument("-n", "--runs", type=int, help="how many runs the medians are of; default: 3, else 5")
    parser.add_argument("--against", metavar="STATETOOL", help="compare with this program instead; 5 runs or more")
    parser.add_argument("--write", action="store_true", help=f"write the rows to {PAGE.name}, and keep its other ones")
    given = parser.parse_args()
    given.runs = (5 if given.against else 3) if given.runs is None else given.runs
    if given.runs < (5 if given.against else 1):
        parser.error("-n is less than 5, which --against needs" if given.against else "-n is less than 1")
    if given.write and given.against:
        parser.error("--write takes no --against")
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
    """Measure, and print the results; with --write, write them after each shape."""
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
        for shape in given.shape:
            with tempfile.TemporaryDirectory() as folder:
                rows += bench.rows(shape, Path(folder), first=not rows)
            if given.write:
                write_page(kept(rows), [line.key for line in LINES], given.runs, _SLOW)
    print(tables(rows, bench.lines))


if __name__ == "__main__":
    main()
