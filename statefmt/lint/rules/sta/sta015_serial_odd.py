"""The serial is not one that counts writes

## What it does
Reports a `serial` of 0 (or none) in a state that holds resources or outputs, and a serial above 9007199254740992
(2 to the power of 53).

## Why is this bad?
Every write counts the serial up, from 1 on: a state with content and the serial 0 was made by hand or by a script,
and every other copy of it counts as newer, so `state push` refuses it. From 2^53 on jq, JavaScript and whatever else
reads JSON numbers as floating point rounds it, so that two writes get one serial; from 2^63 on HCP Terraform and
other programs that keep it in a signed integer see a negative one. No state gets there by counting. OpenTofu reads
both kinds: information.

## Example
```json
{"version": 4, "serial": 0, "resources": [{"mode": "managed", "type": "aws_vpc", "name": "main"}]}
```

## What to do
Compare with the remote copy and backups, and go on from the highest sane one: `statetool set-serial 43`.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix

# Up to here every whole number is a 64-bit float of its own.
_EXACT: Final = 2**53


def _check(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is None:
        return
    serial = document.serial or 0
    if serial > _EXACT:
        detail = f"The serial {serial} is beyond what many programs can hold exactly (2^53)."
    elif serial == 0 and (document.resources or document.outputs):
        detail = "The state has content, but its serial is 0: every other copy of it counts as newer."
    else:
        return
    yield Code.SERIAL_ODD.finding(
        "Odd serial",
        detail,
        pointer="" if document.serial is None else "/serial",
        fix=Fix.of(
            "Set it to one above the highest that a sane copy has: ", subject.command("set-serial", "NUMBER"), "."
        ),
    )


RULE = Rule(Code.SERIAL_ODD, _check)
