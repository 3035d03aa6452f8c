"""The state is not encrypted, but the configuration says it should be

## What it does
Reports a plain-text state file if the first method of the encryption configuration encrypts. Standard input is not
reported: `tofu state pull` prints plain text.

## Why is this bad?
Everyone who can read the file can read all secrets in the state. A file with the output of `tofu state pull` is
plain text, too, so this is information.

## Example
```json
{"state": {"method": "method.aes_gcm.main", "fallback": {"method": "method.unencrypted.migration"}}}
```

## What to do
Run `statetool encrypt --in-place`, and remove the plain-text backup that it names.
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
        # Not a state: nothing to encrypt.
        return
    yield Code.NOT_ENCRYPTED.finding(
        "Not encrypted",
        "The state is plain text, but the first method of the encryption configuration encrypts.",
        fix=Fix.of("To encrypt it: ", subject.command("encrypt", "--in-place"), "."),
    )


RULE = Rule(Code.NOT_ENCRYPTED, _check)
