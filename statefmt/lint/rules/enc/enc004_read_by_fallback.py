"""The state is still encrypted by a fallback

## What it does
Reports an encrypted state that the first method of the encryption configuration cannot read, but a fallback. Only with
an encryption configuration.

## Why is this bad?
A fallback is there for the time of a migration, to a new passphrase or another key provider. As long as one state needs
it the old key cannot be given up, and who should not have it any more can still read the state.

## Example
```json
{"state": {"method": "method.aes_gcm.new", "fallback": {"method": "method.aes_gcm.old"}}}
```

## What to do
`statetool reencrypt --in-place` writes the state by the first method; `statetool reencrypt --check` finds all that are
left.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is None or opened.is_current:
        return
    yield Code.READ_BY_FALLBACK.finding(
        "Still on a fallback",
        f"The state was read by {opened.method}, which is a fallback of the encryption configuration.",
        fix=Fix.of("To write it by the first method: ", subject.command("reencrypt", "--in-place"), "."),
    )


RULE = Rule(Code.READ_BY_FALLBACK, _check)
