"""The state is plain where it should be encrypted

## What it does
Reports a state file in plain text where there is an encryption configuration whose first method encrypts. Standard
input is not reported: `tofu state pull` prints plain text.

## Why is this bad?
The configuration says that states are to be encrypted, and this one is not yet: all its secrets can be read by whoever
can read the file. It is information, since what `tofu state pull` has written to a file is plain, too.

## Example
```json
{"state": {"method": "method.aes_gcm.main", "fallback": {"method": "method.unencrypted.migration"}}}
```

## What to do
`statetool encrypt --in-place`, and remove the plain backup that it names.
"""

from collections.abc import Iterable
from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix

_STANDARD_INPUT: Final = "-"


def _check(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is not None or opened.is_current or subject.name == _STANDARD_INPUT:
        return
    if subject.inspection.document is None:
        # No state, so nothing to encrypt.
        return
    yield Code.NOT_ENCRYPTED.finding(
        "Not encrypted",
        "The state is in plain text, and the first method of the encryption configuration encrypts.",
        fix=Fix.of("To encrypt it: ", subject.command("encrypt", "--in-place"), "."),
    )


RULE = Rule(Code.NOT_ENCRYPTED, _check)
