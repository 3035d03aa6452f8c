"""What a comparison costs beside reading: two states of 100 MB, of which 20 instances differ.

Run it with `python -m benchmarks.diff_large`; it takes about a minute and 400 MB of memory. The claim: comparing them
and showing what differs takes less than a tenth of the time of reading both. An array that differs costs as much
again, once, to import deepdiff. Measured in processor seconds, with Python 3.11:

    reading both                         0.45
    comparing                            0.034   7.6 %
    showing 20 changes, the first time   0.003   0.7 %
    importing deepdiff                   0.045   10 %, only where an array differs
    comparing and showing 14,000 changes 4.5
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import import_module

from benchmarks.states import Kind, state_text
from statefmt.comparison import diff
from statefmt.render.diff_text import diff_text
from statefmt.render.diff_values import Manner
from statefmt.render.terminal import Terminal
from statefmt.statefile.inspect import read
from statefmt.states import instances

SIZE = 100_000_000
CHANGED = 20
RUNS = 5


def seconds(work: Callable[[], object]) -> float:
    """The median time of several runs: of the processor, so that a busy machine counts less."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def seconds_once(work: Callable[[], object]) -> float:
    """The time of one run: the first one, with all that it imports."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    old, new = state_text(SIZE), state_text(SIZE, Kind(changed=CHANGED))
    before, after = read(old).snapshot, read(new).snapshot
    changes = diff(before, after)
    assert len(changes.changed) == CHANGED
    reading = seconds(lambda: (read(old), read(new)))
    comparing = seconds(lambda: diff(before, after))
    showing = seconds_once(lambda: list(diff_text(changes, Manner(), Terminal())))
    importing = seconds_once(lambda: import_module("deepdiff"))
    # More than there are.
    other = read(state_text(SIZE, Kind(changed=SIZE))).snapshot
    everything = seconds_once(lambda: list(diff_text(diff(before, other), Manner(), Terminal())))
    print(f"two states of {len(old) / 1e6:.0f} MB with {len(instances(before)):,} instances, {CHANGED} of them changed")
    print(f"  reading both             {reading:6.3f} s")
    print(f"  comparing                {comparing:6.3f} s  {comparing / reading:.1%} of reading")
    print(f"  showing, the first time  {showing:6.3f} s")
    print(f"  both                     {comparing + showing:6.3f} s  {(comparing + showing) / reading:.1%} of reading")
    print(f"  importing deepdiff       {importing:6.3f} s  where an array differs")
    print(f"  with all machines changed {everything:6.3f} s")


if __name__ == "__main__":
    main()
