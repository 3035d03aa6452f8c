"""The state has a member that statetool does not know

## What it does
Reports members that no release known to statetool writes, and check results of an unknown kind.

## Why is this bad?
A newer release or a manual edit added the member. statetool keeps it, but OpenTofu and Terraform drop it when they
write the state.

## Example
```json
"resources": [{"mode": "managed", "future_member": {}}]
```

## What to do
Check whether a newer statetool knows the member. `statetool fmt --drop-unknown` removes it.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Fix


def _fix(subject: Subject) -> Fix:
    return Fix.of(
        "A newer statetool may know it. To drop all unknown members: ", subject.rewriting("--drop-unknown"), "."
    )


RULE = Rule(Code.UNKNOWN_MEMBER, fix=_fix)
