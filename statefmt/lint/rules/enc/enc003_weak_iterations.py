r"""The encryption key is derived with too few iterations

## What it does
Reports metadata of a `pbkdf2` key provider with fewer than 200,000 iterations. The rule needs no encryption
configuration.

## Why is this bad?
The fewer the iterations, the more passphrases someone with the file can try in a second. OpenTofu allows no fewer
than 200,000 in a configuration and defaults to 600,000. But it reads a state with any number, so another program or
an edit by hand wrote this one.

## Example
```json
{"meta": {"key_provider.pbkdf2.main": "(base64 of) {\"salt\":\"…\",\"iterations\":1000,…}"}, "encryption_version": "v0"}
```

## What to do
Encrypt the state again with the iterations of the configuration: `statetool reencrypt --anew --in-place`. Old
copies of the file remain weak, so use a new passphrase, too.
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
                f"allows no fewer than {LEAST_ITERATIONS:,}.",
                fix=Fix.of("To derive a new one: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
            )


RULE = Rule(Code.WEAK_ITERATIONS, _check)
