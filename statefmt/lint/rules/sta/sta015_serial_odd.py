"""The serial is implausible

## What it does
Reports a `serial` that is 0 or missing in a state that contains resources or outputs, and a serial above
9007199254740992 (2^53).

## Why is this bad?
Every write increments the serial, starting from 1. A state that has content and the serial 0 was made by hand or by
a script; every other copy of it counts as newer, so `state push` refuses it.

Above 2^53, jq, JavaScript and other programs that read JSON numbers as floating point round the serial, so that two
writes get the same one. From 2^63 on, HCP Terraform and other programs that store it in a signed integer see a
negative serial. Regular writes never get there.

OpenTofu reads both kinds, so this is information.

## Example
```json
{"version": 4, "serial": 0, "resources": [{"mode": "managed", "type": "aws_vpc", "name": "main"}]}
```

## What to do
Compare the state with the remote copy and backups, and continue from the highest plausible serial:
`statetool set-serial 43`.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix

# Up to here, 64-bit floats represent every integer exactly.
_EXACT: Final = 2**53


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is None:
        return
    serial = document.serial or 0
    if serial > _EXACT:
        detail = f"The serial {serial} is too large for many programs to represent exactly (above 2^53)."
    elif serial == 0 and (document.resources or document.outputs):
        detail = "The state has content, but its serial is 0: every other copy of it counts as newer."
    else:
        return
    yield Code.SERIAL_ODD.finding(
        "Implausible serial",
        detail,
        pointer="" if document.serial is None else "/serial",
        fix=Fix.of(
            "Set it to one above the highest serial of a good copy: ", subject.command("set-serial", "NUMBER"), "."
        ),
    )


RULE = Rule(Code.SERIAL_ODD, _check)
