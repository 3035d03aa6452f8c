"""The state is large

## What it does
Reports a state of 20 MB or more, one with 2,000 objects or more, and one of 1 MB or more of which a third or more is
taken by dependencies. One finding gives all the figures.

## Why is this bad?
Every plan reads and every apply writes the whole state, to its backend and back: from about 20 MB on that takes
seconds each time, and the kubernetes backend takes no more than a secret can hold, 1 MB when compressed. A plan
refreshes every object, ten at a time and about 0.3 s each: 2,000 take a minute, and a mistake reaches all of them.
Where a third is dependencies, most objects depend on most others, which is slow to plan and mostly not meant:
`depends_on` on whole modules does it. Nothing is wrong: information.

## Example
```json
{"version": 4, "serial": 812, "resources": ["14,000 of them, 100 MB"]}
```

## What to do
Split the state along what is applied together. For the dependencies, replace `depends_on` on whole
modules by references to what is really needed.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.formats.style import Layout
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding

_BYTES: Final = 20_000_000
_OBJECTS: Final = 2_000
_SHARE: Final = 1 / 3
# In a smaller file the share does not matter.
_SHARE_FROM: Final = 1_000_000
# What each dependency takes beside its text: quotes and a comma; where the file is indented, its own line.
_AROUND: Final = {Layout.COMPACT: 3, Layout.INDENT: 3 + 13}


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is None:
        return
    size = len(subject.inspection.data)
    resources = [resource for resource in document.resources or () if resource]
    count = sum(len(resource.instances or ()) for resource in resources)
    share = _dependencies(subject) / size if size >= _SHARE_FROM else 0.0
    if size >= _BYTES or count >= _OBJECTS or share >= _SHARE:
        taken = f", and dependencies take {share:.0%} of it" if share else ""
        yield Code.LARGE_STATE.finding(
            "Large state",
            f"The state has {size / 1e6:,.1f} MB, {len(resources):,} resources and {count:,} objects{taken}.",
            fix="Split the state along what is applied together.",
        )


def _dependencies(subject: Subject) -> int:
    """About how many bytes the dependencies take; escapes are not counted."""
    around = _AROUND[subject.inspection.style.layout]
    total = 0
    for part in subject.objects:
        for texts in (part.document.dependencies, part.document.depends_on):
            if texts:
                total += sum(len(text) + around for text in texts if text)
    return total


RULE = Rule(Code.LARGE_STATE, _check)
