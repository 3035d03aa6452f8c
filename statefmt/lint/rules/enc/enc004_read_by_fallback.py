"""The state is still encrypted with a fallback method

## What it does
Reports an encrypted state that was decrypted by a fallback of the encryption configuration, because its first
method could not. The rule needs an encryption configuration.

## Why is this bad?
A fallback is meant for the time of a migration to a new passphrase or another key provider. As long as one state
needs it, the old key cannot be retired, and everyone who has it can still read the state.

## Example
```json
{"state": {"method": "method.aes_gcm.new", "fallback": {"method": "method.aes_gcm.old"}}}
```

## What to do
Run `statetool reencrypt --in-place` to encrypt the state with the first method. `statetool reencrypt --check` finds
all states that still need it.
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
        "Encrypted with a fallback",
        f"The state was decrypted with {opened.method}, a fallback of the encryption configuration.",
        fix=Fix.of("To encrypt it with the first method: ", subject.command("reencrypt", "--in-place"), "."),
    )


RULE = Rule(Code.READ_BY_FALLBACK, _check)
