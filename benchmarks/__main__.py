"""Measures statetool against other programs, and writes the ratios to `benchmarks/RESULTS.md`.

    python -m benchmarks [--quick] [--runs N]

Both run in turn, as whole processes; their outputs are compared first. It takes about ten minutes, with states of 1 and
100 MB, and of 1 GB where there is room. `--quick` takes states of a tenth, three runs, and writes nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final

from tabulate import tabulate

from benchmarks.comparisons import Bench, Comparison
from benchmarks.measure import Figures, in_turn

_RESULTS: Final = Path(__file__).with_name("RESULTS.md")
_NOTES: Final = Path(__file__).with_name("NOTES.md")
_SIZE: Final = 100_000_000
# For a state of ten times the size, and for what is made of the others.
_ROOM: Final = 30 * _SIZE
_LIBRARIES: Final = ("msgspec", "orjson", "typer")
_HEADERS: Final = ("what", "against", "time", "at most", "processor", "memory", "at most", "statetool")


def main() -> None:
    """Make all comparisons, print them, and write them down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure statetool against others.")
    parser.add_argument("--quick", action="store_true", help="smaller states, three runs, and nothing written")
    parser.add_argument("--runs", type=int, help="how many runs the medians are of; at least 5 for what is written")
    given = parser.parse_args()
    runs = given.runs or (3 if given.quick else 5)
    # As installed: with the compiled modules that the first run leaves; and nobody asks for a newer Terraform.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.pop("TF_CLI_CONFIG_FILE", None)
    os.environ["CHECKPOINT_DISABLE"] = "1"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # The command line configuration that Terraform looks for.
        os.environ["HOME"] = temporary
        (folder / ".terraformrc").touch()
        (folder / ".tofurc").touch()
        bench = Bench(folder, _SIZE // 10 if given.quick else _SIZE)
        huge = not given.quick and shutil.disk_usage(folder).free > _ROOM
        left_out = [f"{name}, which is not installed" for name in bench.missing]
        left_out += [] if huge else ["the state of 1 GB, for which there is no room"]
        rows: list[list[str]] = []
        for comparison in bench.comparisons(huge=huge):
            rows.append(_row(comparison, runs))
            table = tabulate(rows, headers=_HEADERS, tablefmt="github", disable_numparse=True)
            if not given.quick:
                _RESULTS.write_text("\n".join(_page(table, runs, left_out)), encoding="utf-8")
    print(table)


def _row(comparison: Comparison, runs: int) -> list[str]:
    print(f"{comparison.name}, against {comparison.other_name}", file=sys.stderr)
    ours, other = in_turn([comparison.ours, comparison.other], runs)
    # After the runs, which leave what is to be compared.
    comparison.verify()
    times = comparison.times
    compared = Figures(
        ours.clock / other.clock / times, ours.processor / other.processor / times, ours.memory / other.memory
    )
    return [
        comparison.name,
        comparison.other_name,
        f"{compared.clock:.3f}",
        f"{comparison.limit:g}{' ✓' if compared.clock <= comparison.limit else ''}",
        f"{compared.processor:.3f}",
        f"{compared.memory:.3f}",
        "" if (limit := comparison.memory_limit) is None else f"{limit:g}{' ✓' if compared.memory <= limit else ''}",
        f"{ours.clock:.2f} s, {ours.memory:.0f} MB",
    ]


def _page(table: str, runs: int, left_out: list[str]) -> Iterator[str]:
    yield "# How fast statetool is"
    yield ""
    yield "Written by `make bench`; everything is a ratio of two programs that ran in turn on one machine: below 1,"
    yield f"statetool takes less. Medians of {runs} runs of whole processes, start-up and all. `time` is on the clock,"
    yield "`processor` the time of all processors, `memory` the most that the process held. Outputs are compared."
    yield ""
    yield table
    yield ""
    yield f"Processor: {_processor()}, {os.cpu_count()} of them; {platform.system()};"
    yield f"Python {platform.python_version()}, {', '.join(f'{name} {version(name)}' for name in _LIBRARIES)}."
    yield from (f"Left out: {what}." for what in left_out)
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
