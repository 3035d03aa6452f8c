"""A resource type or name is not an identifier

## What it does
Reports a resource whose `type` or `name` is empty or has characters that no identifier of the language has.

## Why is this bad?
No configuration can declare such a resource and no command can name it, so the next plan destroys it and nothing but
an editor can help. OpenTofu reads the state without a word: a warning.

## Example
```json
{"mode": "managed", "type": "aws_instance", "name": "web server"}
```

## What to do
Correct it by hand, to the type and name that the configuration has.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import is_identifier
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    for resource in subject.resources:
        for member, given in (("type", resource.document.type), ("name", resource.document.name)):
            text = given or ""
            # Python's identifiers are all among HCL's, and asking for them costs next to nothing.
            if text.isidentifier() or is_identifier(text):
                continue
            yield Code.INVALID_IDENTIFIER.finding(
                f"Invalid resource {member}",
                f'Resource {resource.address} has the {member} "{text}", which is not an identifier: letters, digits, '
                "underscores and dashes, and no digit or dash at its start.",
                resource.address,
                resource.pointer if given is None else f"{resource.pointer}/{member}",
                f"Correct the {member} by hand; no command can name this resource.",
            )


RULE = Rule(Code.INVALID_IDENTIFIER, _check)
