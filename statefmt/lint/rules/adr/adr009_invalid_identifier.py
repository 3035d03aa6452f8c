"""A resource type or name is not an identifier

## What it does
Reports a resource whose `type` or `name` is empty or contains characters that identifiers cannot have.

## Why is this bad?
No configuration can declare such a resource, and no command can name it: the next plan destroys it. OpenTofu reads
the state without a message, so this is a warning.

## Example
```json
{"mode": "managed", "type": "aws_instance", "name": "web server"}
```

## What to do
Run `statetool repair`, and give it the type and name in the configuration.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs.traversal import is_identifier
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    for resource in subject.resources:
        for member, given in (("type", resource.document.type), ("name", resource.document.name)):
            text = given or ""
            # Every Python identifier is one in HCL, and this check is much cheaper.
            if text.isidentifier() or is_identifier(text):
                continue
            yield Code.INVALID_IDENTIFIER.finding(
                f"Invalid resource {member}",
                f'Resource {resource.address} has the {member} "{text}", which is not an identifier: use letters, '
                "digits, underscores and dashes, and do not start with a digit or dash.",
                resource.address,
                resource.pointer if given is None else f"{resource.pointer}/{member}",
                subject.repairing(),
            )


RULE = Rule(Code.INVALID_IDENTIFIER, _check)
