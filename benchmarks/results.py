"""The rows of the results: tables with the worst shape first, and a file that keeps them, to measure a part anew."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec
from tabulate import tabulate

from benchmarks.measure import Figures

PAGE: Final = Path(__file__).with_name("RESULTS.md")
# What belongs to all hostile shapes, in place of a line.
HOSTILE: Final = "hostile"
_ROWS: Final = Path(__file__).with_name("results.json")
_NOTES: Final = Path(__file__).with_name("NOTES.md")
_LIBRARIES: Final = ("msgspec", "orjson", "typer")
_MET: Final = "✓"
_MISSED: Final = "✗"
_HEADERS: Final = (
    "command", "size", "shape", "against", "time", "processor", "memory", "of the file", "floor", "statetool"
)  # fmt: skip


class Row(msgspec.Struct, frozen=True):
    """A row of the results: its line and shape, a ratio, the larger the worse, and its cells."""

    line: str
    shape: str
    ratio: float
    cells: tuple[str, ...]


def ratio_text(ratios: Sequence[float], limit: float | None = None, *, spread: bool = False) -> str:
    """The median, and whether it is within the limit; nothing for no ratios.

    With `spread` also how far the ratios lie apart, and whether all are on one side of 1.
    """
    if not ratios:
        return ""
    median = statistics.median(ratios)
    side = ", all more" if min(ratios) > 1 else ", all less" if max(ratios) < 1 else ""
    apart = f" ({min(ratios):.2f} to {max(ratios):.2f}{side})" if spread else ""
    judged = "" if limit is None else f" ≤ {limit:g} {_MET}" if median <= limit else f" > {limit:g} {_MISSED}"
    return f"{median:.3f}{apart}{judged}"


def figures_text(figures: Sequence[Figures]) -> str:
    """The medians of the time and the memory."""
    clock, memory = (statistics.median(column) for column in ([f.clock for f in figures], [f.memory for f in figures]))
    return f"{clock:.2f} s, {memory:.0f} MB"


def tables(rows: Sequence[Row], lines: Sequence[str]) -> str:
    """The lines in their order, and the shapes of each from the worst to the best; the hostile shapes in a table."""
    order = {line: number for number, line in enumerate(lines)}
    known = sorted((row for row in rows if row.line in order), key=lambda row: (order[row.line], -row.ratio))
    hostile = sorted((row for row in rows if row.line == HOSTILE), key=lambda row: -row.ratio)
    return "\n\n".join(_table(part) for part in (known, hostile) if part)


def _table(rows: Sequence[Row]) -> str:
    return tabulate([row.cells for row in rows], headers=_HEADERS, tablefmt="github", disable_numparse=True)


def kept(rows: Sequence[Row]) -> list[Row]:
    """Keep rows in a file, in place of those of the same lines and shapes, and return all that it has."""
    old = msgspec.json.decode(_ROWS.read_bytes(), type=list[Row]) if _ROWS.exists() else []
    new = {(row.line, row.shape) for row in rows}
    together = [*(row for row in old if (row.line, row.shape) not in new), *rows]
    _ROWS.write_bytes(b"[\n" + b",\n".join(map(msgspec.json.encode, together)) + b"\n]\n")
    return together


def write_page(rows: Sequence[Row], lines: Sequence[str], runs: int, slow: float) -> None:
    """Write the page of the results, with notes below the tables."""
    PAGE.write_text("\n".join(_page(tables(rows, lines), runs, slow)), encoding="utf-8")


def _page(text: str, runs: int, slow: float) -> Iterator[str]:
    yield "# How fast statetool is"
    yield ""
    yield f"Written by `make bench`. Programs run in turn on one machine, as whole processes, {runs} times; those that"
    yield f"take over {slow:g} s run once. `time` (on the clock), `processor` (of all processors) and `memory` (the"
    yield "most that a process held) are medians of parts of what the other program takes: below 1, statetool takes"
    yield "less. `of the file` is the memory of statetool as a multiple of the file. `floor` is its time as a multiple"
    yield "of that of a process that decodes the same states, leaves the values of providers raw, and does nothing"
    yield "else. The worst shape of a command comes first. Rows without figures say why."
    yield ""
    yield f"**{text.count(_MET)} of {text.count(_MET) + text.count(_MISSED)} limits are met** ({_MET}; else {_MISSED})."
    yield ""
    yield f"Processor: {_processor()}, {os.cpu_count()} cores; {platform.system()};"
    yield f"Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in _LIBRARIES)}."
    yield ""
    yield text
    yield ""
    yield _NOTES.read_text(encoding="utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
