"""What a comparison costs beside reading: two states of 100 MB, of which 20 instances differ.

Run it with `python benchmarks/diff_large.py`; it takes about a minute and 300 MB of memory. The claim: comparing takes
less than a tenth of the time of reading both.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from random import Random

from statefmt.comparison import diff
from statefmt.render.diff_text import diff_text
from statefmt.render.diff_values import Manner
from statefmt.render.terminal import Terminal
from statefmt.statefile.inspect import read

RESOURCES = 14_000
ATTRIBUTE_BYTES = 6_900
CHANGED = 20
RUNS = 5


def state(changed: int) -> bytes:
    """A state of RESOURCES instances, laid out as OpenTofu does it, of which the first so many have another tag."""
    random = Random(1)
    resources = []
    for number in range(RESOURCES):
        texts = {f"text{part}": random.randbytes(150).hex() for part in range(ATTRIBUTE_BYTES // 330)}
        env = "test" if number < changed else "prod"
        attributes = {"id": f"i-{random.getrandbits(64):016x}", "tags": {"env": env}, **texts}
        instance = {"schema_version": 1, "attributes": attributes, "sensitive_attributes": [], "private": "bnVsbA=="}
        resources.append(
            {
                "mode": "managed",
                "type": "aws_instance",
                "name": f"web{number:06}",
                "provider": 'provider["registry.opentofu.org/hashicorp/aws"]',
                "instances": [instance],
            }
        )
    document = {"version": 4, "terraform_version": "1.9.4", "serial": 7, "lineage": "0b2f", "outputs": {}}
    return json.dumps({**document, "resources": resources, "check_results": None}, indent=2).encode()


def seconds(work: Callable[[], object]) -> float:
    """The median time of several runs."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    old, new = state(0), state(CHANGED)
    before, after = read(old).snapshot, read(new).snapshot
    changes = diff(before, after)
    assert len(changes.changed) == CHANGED
    reading = seconds(lambda: (read(old), read(new)))
    comparing = seconds(lambda: diff(before, after))
    # The first look at values imports deepdiff, which is measured with it.
    start = time.perf_counter()
    printed = list(diff_text(changes, Manner(), Terminal()))
    first = time.perf_counter() - start
    printing = seconds(lambda: list(diff_text(changes, Manner(), Terminal())))
    print(f"two states of {len(old) / 1e6:.0f} MB with {RESOURCES:,} instances, {CHANGED} of them changed")
    print(f"  reading both    {reading:6.3f} s")
    print(f"  comparing       {comparing:6.3f} s  {comparing / reading:.1%} of reading")
    print(f"  showing         {printing:6.3f} s  ({first:.3f} s the first time; {len(printed)} pieces)")
    print(f"  compare + show  {comparing + printing:6.3f} s  {(comparing + printing) / reading:.1%} of reading")


if __name__ == "__main__":
    main()
