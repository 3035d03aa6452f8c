"""The envelope has a member that OpenTofu does not read

## What it does
Reports members of the envelope of an encrypted state beside the five that OpenTofu writes. It needs no configuration.

## Why is this bad?
OpenTofu ignores it, and whatever writes the state next drops it. Nothing protects it either: who reads it goes by what
anybody can have written there.

## Example
```json
{"serial": 7, "meta": {}, "encrypted_data": "…", "encryption_version": "v0", "note": "by hand"}
```

## What to do
Find out what wrote it, and keep it elsewhere if it is of use. `statetool reencrypt --anew --in-place` drops it.
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
