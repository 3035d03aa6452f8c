"""A deposed object is left over

## What it does
Reports each deposed object: one that was to be replaced (`create_before_destroy`) and has not been destroyed yet.

## Why is this bad?
Usually an apply was stopped, or the destroy failed, after the new object was created. The old object still runs and
costs money, and the next apply destroys it although nothing in the configuration mentions it. The state can be
read, so this is a warning.

## Example
```json
{"deposed": "5a3e8f01", "schema_version": 1, "attributes": {"id": "i-0f3a"}}
```

## What to do
Let the next apply destroy it. If the real object is already gone, or should be kept outside of the state, run
`statetool forget-deposed aws_instance.web`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        key = part.document.deposed
        if key:
            yield Code.DEPOSED_LEFT_OVER.finding(
                "Deposed object left over",
                f"Instance {part.address} has the deposed object {key}; the next apply destroys it.",
                part.address,
                f"{part.pointer}/deposed",
                Fix.of(
                    "If the real object is gone or should be kept: ",
                    subject.command_on("forget-deposed", part.address),
                    ".",
                ),
            )


RULE = Rule(Code.DEPOSED_LEFT_OVER, _check)
