"""The envelope has an unknown member

## What it does
Reports members of the envelope of an encrypted state other than the five that OpenTofu writes. The rule needs no
encryption configuration.

## Why is this bad?
OpenTofu ignores the member, and the next program that writes the state drops it. Nothing protects it either: anyone
can have written it, so no program should rely on it.

## Example
```json
{"serial": 7, "meta": {}, "encrypted_data": "…", "encryption_version": "v0", "note": "by hand"}
```

## What to do
Find out what wrote it, and keep the value elsewhere if it is useful. `statetool reencrypt --anew --in-place` drops
it.
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
    for name in envelope.unknown:
        yield Code.ENVELOPE_UNKNOWN_MEMBER.finding(
            "Unknown member",
            f"The envelope has a member {name!r}, which OpenTofu ignores and drops.",
            fix=Fix.of("To drop it: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
        )


RULE = Rule(Code.ENVELOPE_UNKNOWN_MEMBER, _check)
