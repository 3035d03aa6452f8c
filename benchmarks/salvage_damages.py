"""What is salvaged of damaged states, by the kind of damage: found, uncertain, altered.

    python -m benchmarks.salvage_damages [TRIALS] [KILOBYTES]

Each trial damages another state, of 2 to 500 kB; the last one has KILOBYTES (10,000 unless told otherwise). Each
object that is taken for certain is compared with the originals of all versions that went into the file, byte for byte:
`altered` is in none of them. Of tears, only those count that leave no valid JSON.
"""

from __future__ import annotations

import json
import sys
import time
from random import Random
from typing import Final

from tabulate import tabulate

from benchmarks.damages.judged import judged
from benchmarks.damages.kinds import KINDS, made

_SMALLEST: Final = 2000
_RANGE: Final = 250
_HEADERS: Final = ("damage", "files", "MB", "objects whole", "found", "uncertain", "altered", "s per MB")


def row(kind: str, trials: int, largest: int) -> tuple[str, ...]:
    """Return the row of a kind of damage."""
    files = size = whole = found = uncertain = altered = 0
    seconds = 0.0
    for seed in range(trials):
        is_last = seed == trials - 1
        damaged = made(kind, seed, largest if is_last else int(_SMALLEST * _RANGE ** Random(seed).random()))
        if not KINDS[kind].keeps_all and _is_json(damaged.data):
            continue
        start = time.process_time()
        judgement = judged(damaged)
        seconds += time.process_time() - start
        files += 1
        size += len(damaged.data)
        whole += len(damaged.whole)
        found += sum(judgement.certain.values()) - len(judgement.altered)
        uncertain += judgement.uncertain
        altered += len(judgement.altered)
    counts = (f"{whole:,}" if whole else "", f"{found:,}", f"{uncertain:,}", f"{altered:,}")
    return (kind, f"{files:,}", f"{size / 1e6:.1f}", *counts, f"{seconds / size * 1e6:.2f}")


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def main() -> None:
    """Print the table."""
    given = [int(one) for one in sys.argv[1:]]
    trials, kilobytes = [*given, *(150, 10_000)[len(given) :]]
    rows = [row(kind, trials, kilobytes * 1000) for kind in KINDS]
    print(tabulate(rows, _HEADERS, tablefmt="github", disable_numparse=True))


if __name__ == "__main__":
    main()
