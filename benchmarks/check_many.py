"""How long `statetool check` takes for 1,000 small states, against a Python process that only parses them.

    python -m benchmarks.check_many [RUNS]

Both are whole processes: start-up, reading the files and all. The states are those of `benchmarks/states.py`. Each
figure is the median of as many runs (5 unless told otherwise), which take turns, after one that is not counted: time on
the clock, which falls with the number of processors, and then the time of all processors together.

Start-up alone takes longer than orjson takes for all the small states; half of it is Python itself, the library for
command lines, and msgspec. Of what a state costs, a fifth (small states) to a third (larger ones) goes into making a
snapshot of it, a sixth into comparing it with its canonical text, and the rest into the other rules.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from tabulate import tabulate

from benchmarks.measure import Process, in_turn
from benchmarks.states import Kind, state_text

_STATES: Final = 1_000
# What a state of about so many bytes is like: no more than one module.
_KINDS: Final = {
    6_000: Kind(instance_bytes=(300, 600), machines=0),
    26_000: Kind(instance_bytes=(300, 1_300), machines=12),
    100_000: Kind(),
}
_STATETOOL: Final = (sys.executable, "-c", "from statefmt.cli.start import run; run()", "check", "--no-settings")
_PARSE_ALL: Final = """
import os, sys, orjson
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as file:
        orjson.loads(file.read())
"""
_ORJSON: Final = (sys.executable, "-c", _PARSE_ALL)


def _processes(folder: Path) -> list[Process]:
    return [Process([*command, str(folder)]) for command in (_STATETOOL, _ORJSON)]


def main(runs: int) -> None:
    """Make the states, run both programs over them, and print a table."""
    rows = []
    # As installed: with the compiled modules that the first run leaves.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as temporary:
        one = Path(temporary, "one")
        one.mkdir()
        (one / "0.tfstate").write_bytes(state_text(1_000, _KINDS[6_000]))
        start_up, _ = in_turn(_processes(one), runs)
        for about, kind in _KINDS.items():
            folder = Path(temporary, str(about))
            folder.mkdir()
            for number in range(_STATES):
                (folder / f"{number:04}.tfstate").write_bytes(state_text(1_000, kind, number))
            size = sum(path.stat().st_size for path in folder.iterdir()) / _STATES
            check, parse = in_turn(_processes(folder), runs)
            pairs = [(check.clock, parse.clock), (check.processor, parse.processor)]
            figures = [
                text for one, other in pairs for text in (f"{one:.3f} s", f"{other:.3f} s", f"{one / other:.1f}")
            ]
            rows.append([f"{size / 1000:.1f} kB", *figures])
    print(f"{_STATES:,} states, medians of {runs} runs, {os.cpu_count()} processors")
    print(f"One state takes check {start_up.clock:.3f} s, of which {start_up.processor:.3f} s on a processor.")
    columns = ["check", "orjson", "ratio"]
    print(tabulate(rows, headers=["a state", *columns, *(f"{name} (proc.)" for name in columns)], stralign="right"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
