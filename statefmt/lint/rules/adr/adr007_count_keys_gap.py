"""The number keys of a resource have gaps

## What it does
Reports a resource with number keys in which numbers between 0 and the highest key are missing.

## Why is this bad?
`count` numbers instances from 0 without gaps, so the next plan creates the missing ones or destroys the highest
ones. A partly failed apply or an `rm` leaves such a state behind, often on purpose, so this is information.

## Example
```json
"instances": [{"index_key": 0}, {"index_key": 2}]
```

## What to do
If the missing instances should not come back, move the highest one into the gap and lower `count`:
`statetool mv 'aws_eip.nat[2]' 'aws_eip.nat[1]'`.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject, blocks_by_address, objects_of
from statefmt.model.findings import Code, Finding, Fix

_SHOWN = 5
# OpenTofu reads keys as 64-bit floats, and turns those from here on into negative numbers.
_TOO_HIGH = 2**63


def _check(subject: Subject) -> Iterable[Finding]:
    if not any(isinstance(part.document.index_key, (int, float)) for part in subject.objects):
        return
    for address, blocks in blocks_by_address(subject).items():
        keys = [obj.index_key for block in blocks for obj in objects_of(block)]
        given = (key for key in keys if (type(key) is int or type(key) is float) and 0 <= key < _TOO_HIGH)
        numbers = {number for key in given if (number := int(float(key))) < _TOO_HIGH}
        if not numbers or len(numbers) == (highest := max(numbers)) + 1:
            continue
        gaps = list(_gaps(numbers))
        more = f" and {len(gaps) - _SHOWN} more gaps" if len(gaps) > _SHOWN else ""
        missing = ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in gaps[:_SHOWN])
        yield Code.COUNT_KEYS_GAP.finding(
            "Gap in the keys of count",
            f"Resource {address} has keys up to {highest}, of which {highest + 1 - len(numbers)} "
            f"{'is' if highest == len(numbers) else 'are'} missing: {missing}{more}.",
            address,
            f"{blocks[0].pointer}/instances",
            Fix.of("To close a gap: ", subject.command("mv", f"{address}[{highest}]", f"{address}[{gaps[0][0]}]"), "."),
        )


def _gaps(numbers: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last number of each gap; a gap may be too long to enumerate."""
    for low, high in pairwise((-1, *sorted(numbers))):
        if high - low > 1:
            yield low + 1, high - 1


RULE = Rule(Code.COUNT_KEYS_GAP, _check)
