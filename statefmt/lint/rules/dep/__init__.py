"""Rules about dependencies (DEP). This module has those whose findings the reader makes."""

from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULES: Final = (
    Rule(
        Code.DEPENDENCY_ADDRESS_INVALID,
        fix=Subject.repairing,
        page="""A dependency is not a resource address

## What it does
Reports an entry of `dependencies` or `depends_on` that is not a resource address.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"dependencies": ["aws_vpc.main[0]"]
```

## What to do
Correct or remove the entry with `statetool repair`. Dependencies name resources, without instance keys.
""",
    ),
)
