"""What indexing thousands of states costs, against programs that only parse them.

    python -m benchmarks.fleet [STATES] [RUNS]

Makes as many states (2,000) of 450 kB, by turns of the shapes in SHAPES_OF_STATES. Whole processes run in turn:
`orjson.loads` of each file; a plain loop that also collects addresses, ids and providers; DuckDB's `read_json`, which
makes a table of the same; and `statetool fleet index`. Processor time is that of all processes together. The figures
are medians. Then, for one large state of each shape, the most memory that a worker holds.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tabulate import tabulate

from benchmarks.case import STATETOOL
from benchmarks.formats import LINEAGE
from benchmarks.measure import Figures, Process, run
from benchmarks.shapes import SHAPES

SHAPES_OF_STATES: Final = ("singles", "compact", "instances")
_BYTES: Final = 450_000
_LARGE: Final = 30_000_000
_CHANGED: Final = 20
_LOADS: Final = """
import orjson, os, sys
for entry in os.scandir(sys.argv[1]):
    with open(entry.path, "rb") as file:
        orjson.loads(file.read())
"""
_LOOP: Final = """
import orjson, os, sys
rows = []
for entry in os.scandir(sys.argv[1]):
    with open(entry.path, "rb") as file:
        state = orjson.loads(file.read())
    for resource in state["resources"]:
        address = f"{resource.get('module', '')}.{resource['type']}.{resource['name']}"
        for instance in resource["instances"]:
            attributes = instance["attributes"]
            rows.append((entry.path, address, instance.get("index_key"), attributes.get("id"), attributes.get("arn"),
                         resource.get("provider"), instance.get("dependencies", ())))
with open(sys.argv[2], "wb") as file:
    file.writelines(map(orjson.dumps, rows))
"""
_READ_JSON: Final = """
import duckdb, os, sys
os.path.exists(sys.argv[2]) and os.remove(sys.argv[2])
duckdb.connect(sys.argv[2]).execute('''
    CREATE TABLE objects AS
    SELECT filename, module, type, name, provider, object.index_key, object.attributes ->> 'id' AS id,
        object.attributes ->> 'arn' AS arn, object.dependencies
    FROM (SELECT filename, resource.*, unnest(resource.instances) AS object
        FROM (SELECT filename, unnest(resources) AS resource
            FROM read_json(?, filename = true, maximum_object_size = 100000000, columns = {resources:
                'STRUCT(module VARCHAR, type VARCHAR, name VARCHAR, provider VARCHAR,
                    instances STRUCT(index_key JSON, attributes JSON, dependencies VARCHAR[])[])[]'})))
''', [sys.argv[1] + "/*.tfstate"]).close()
"""
# Prints the most memory of a process in kB: before and after it reads one state as a worker does.
_WORKER: Final = """
import sys
from statefmt import run_context
from statefmt.fleet._rows import StateLimits
from statefmt.fleet._rows import StateOrigin, Wanted
from statefmt.fleet._rows import read_rows
from statefmt.fleet._work import Task, work_on
import statefmt.lint.check

def most():
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith("VmHWM"))

name, checks, context = sys.argv[1], sys.argv[2] == "checks", run_context()
idle, limits = most(), StateLimits(1 << 40, 600.0)
task = Task(name, StateOrigin("0" * 16, name, name))
work_on([task], lambda task: read_rows(context, name, task.origin, Wanted(bytes(32)), checks=checks, limits=limits))
print(idle, most())
"""


def make_states(folder: Path, count: int) -> None:
    """Write states with lineages of their own."""
    texts = [b"".join(SHAPES[name].pieces(_BYTES)) for name in SHAPES_OF_STATES]
    for number in range(count):
        text = texts[number % len(texts)].replace(LINEAGE.encode(), f"{number:08x}{LINEAGE[8:]}".encode())
        (folder / f"{number:05}.tfstate").write_bytes(text)


def _touch(folder: Path) -> None:
    for path in sorted(folder.iterdir())[:_CHANGED]:
        path.write_bytes(path.read_bytes())


def _speed(folder: Path, other: Path, runs: int) -> str:
    index = other / "index.duckdb"
    indexing = (STATETOOL, "fleet", "index", str(folder), "--into", str(index))

    def python(script: str) -> Sequence[str]:
        return (sys.executable, "-c", script, str(folder), str(other / "made"))

    def anew() -> None:
        index.unlink(missing_ok=True)

    wanted: dict[str, tuple[Sequence[str], Callable[[], None]]] = {
        "orjson.loads": (python(_LOADS), lambda: None),
        "a plain Python loop": (python(_LOOP), lambda: None),
        "DuckDB's read_json": (python(_READ_JSON), lambda: None),
        "fleet index": (indexing, anew),
        f"again, {_CHANGED} changed": (indexing, lambda: _touch(folder)),
        "fleet index --no-check": ((*indexing, "--no-check"), anew),
        f"again, {_CHANGED} changed, --no-check": ((*indexing, "--no-check"), lambda: _touch(folder)),
    }
    found: dict[str, list[Figures]] = {name: [] for name in wanted}
    for _ in range(runs):
        for name, (command, prepare) in wanted.items():
            found[name].append(run(Process(command, prepare)))
    rows = []
    for name, figures in found.items():
        pairs = zip(figures, found["orjson.loads"], strict=True)
        ratios = [ours.processor / yardstick.processor for ours, yardstick in pairs]
        clock = statistics.median(one.clock for one in figures)
        processor = statistics.median(one.processor for one in figures)
        rows.append((name, f"{processor:.2f} s", f"{statistics.median(ratios):.2f}", f"{clock:.2f} s"))
    return tabulate(rows, ("what", "processor", "ratio", "clock"), tablefmt="github", disable_numparse=True)


def _memory(folder: Path) -> str:
    rows = []
    for shape in SHAPES:
        path = folder / "large.tfstate"
        SHAPES[shape].write(path, _LARGE)
        size = path.stat().st_size / 1024
        found = []
        for how in ("no checks", "checks"):
            output = folder / "memory"
            run(Process((sys.executable, "-c", _WORKER, str(path), how)), output)
            idle, most = map(int, output.read_text().split())
            found.append(f"{(most - idle) / size:.1f}")
        rows.append((shape, *found))
    return tabulate(rows, ("shape", "--no-check", "with checks"), tablefmt="github", disable_numparse=True)


def main() -> None:
    """Measure, and print both tables."""
    count, runs = (int(text) for text in (*sys.argv[1:], *("2000", "3")[len(sys.argv) - 1 :]))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with TemporaryDirectory() as name:
        folder, other = Path(name, "states"), Path(name, "other")
        folder.mkdir()
        other.mkdir()
        make_states(folder, count)
        megabytes = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        print(f"{count:,} states, {megabytes:,.0f} MB; ratio to the processor time of orjson.loads", end="\n\n")
        print(_speed(folder, other, runs), end="\n\n")
        print("Memory of a worker beyond an idle one, in sizes of its state (30 MB)", end="\n\n")
        print(_memory(other))


if __name__ == "__main__":
    main()
