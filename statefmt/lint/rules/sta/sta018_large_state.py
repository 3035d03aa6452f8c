"""The state is large

## What it does
Reports a state of 20 MB or more, a state with 2,000 objects or more, and a state of 1 MB or more in which
dependencies take up at least a third. One finding gives all the figures.

## Why is this bad?
- Every plan reads and every apply writes the whole state. From about 20 MB on, that takes seconds each time. The
  kubernetes backend is limited to the size of a secret, 1 MB compressed.
- A plan refreshes every object, ten at a time and about 0.3 s each: 2,000 objects take a minute, and a mistake can
  affect all of them.
- If dependencies take up a third, most objects depend on most others. That slows plans down and is rarely intended;
  the usual cause is `depends_on` on whole modules.

Nothing is wrong with the state, so this is information.

## Example
```json
{"version": 4, "serial": 812, "resources": ["14,000 of them, 100 MB"]}
```

## What to do
Split the state into parts that are applied separately. To reduce the dependencies, replace `depends_on` on whole
modules by references to the resources that are really needed.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.formats import Layout
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding

_BYTES: Final = 20_000_000
_OBJECTS: Final = 2_000
_SHARE: Final = 1 / 3
# The share is irrelevant in smaller files.
_SHARE_FROM: Final = 1_000_000
# Bytes around each dependency: quotes and a comma, and the line and indentation in indented files.
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
        taken = f", and dependencies take up {share:.0%} of it" if share else ""
        yield Code.LARGE_STATE.finding(
            "Large state",
            f"The state has {size / 1e6:,.1f} MB, {len(resources):,} resources and {count:,} objects{taken}.",
            fix="Split the state into parts that are applied separately.",
        )


def _dependencies(subject: Subject) -> int:
    """Return the approximate number of bytes in dependencies, ignoring escapes."""
    around = _AROUND[subject.inspection.style.layout]
    total = 0
    for part in subject.objects:
        for texts in (part.document.dependencies, part.document.depends_on):
            if texts:
                given = list(filter(None, texts))
                total += sum(map(len, given)) + around * len(given)
    return total


RULE = Rule(Code.LARGE_STATE, _check)
