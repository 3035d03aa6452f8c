"""The key of the envelope is derived with too few iterations

## What it does
Reports metadata of a key provider `pbkdf2` with fewer than 200,000 iterations. It needs no configuration.

## Why is this bad?
The fewer iterations, the more passphrases can be tried in a second by whoever has the file. OpenTofu lets nobody
configure fewer than 200,000, and takes 600,000 unless told otherwise; but it reads a state with any number, so another
program, or a hand, wrote this one.

## Example
```json
{"meta": {"key_provider.pbkdf2.main": "(base64 of) {\"salt\":\"…\",\"iterations\":1000,…}"}, "encryption_version": "v0"}
```

## What to do
Encrypt the state anew, with the iterations of the configuration: `statetool reencrypt --anew --in-place`. Whoever has a
copy of the file can still guess at that, so use a new passphrase, too.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    envelope = subject.envelope
    if envelope is None:
        return
    from statefmt.encryption.description import provider_entries
    from statefmt.encryption.key_providers.pbkdf2 import LEAST_ITERATIONS

    for entry in provider_entries(envelope):
        if entry.pbkdf2 is not None and entry.is_weak:
            yield Code.WEAK_ITERATIONS.finding(
                "Weak key",
                f"The key of {entry.key} is derived with an iteration count of {entry.pbkdf2.iterations:,}; OpenTofu "
                f"lets nobody configure less than {LEAST_ITERATIONS:,}.",
                fix=Fix.of("To derive a new one: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
            )


RULE = Rule(Code.WEAK_ITERATIONS, _check)
