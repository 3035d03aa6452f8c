"""The envelope has unused metadata

## What it does
Reports entries of `meta` in the envelope of an encrypted state that are not needed to decrypt it. The rule needs an
encryption configuration.

## Why is this bad?
OpenTofu writes exactly the entries that the method needs, so something else added this one. Nothing protects
`meta`: the entry may be an attempt to make OpenTofu use a key that an attacker knows, or it may come from merging
two files.

## Example
```json
{"meta": {"key_provider.pbkdf2.main": "…", "key_provider.pbkdf2.other": "…"}, "encryption_version": "v0"}
```

## What to do
Find out who wrote it. Every write drops the entry, for example `statetool reencrypt --anew --in-place`.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is None:
        return
    for key in sorted(opened.envelope.meta.keys() - opened.meta_keys):
        yield Code.METADATA_UNUSED.finding(
            "Unused metadata",
            f"The envelope has metadata under {key}, which {opened.method} does not need to read the state.",
            fix=Fix.of("To write the envelope without it: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
        )


RULE = Rule(Code.METADATA_UNUSED, _check)
