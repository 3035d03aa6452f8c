"""Rules about check results (CHK), whose findings the reader creates."""

from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code

RULES: Final = (
    Rule(
        Code.CHECK_ADDRESS_INVALID,
        fix=Subject.repairing,
        page="""The address of a check result is invalid

## What it does
Reports an address in `check_results` that is not valid for its `object_kind`, and a `config_addr` with instance
keys.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"config_addr": "aws_a.b[0]"
```

## What to do
Remove the results with `statetool repair`, which can also correct the address; the next apply writes them again.
""",
    ),
)
