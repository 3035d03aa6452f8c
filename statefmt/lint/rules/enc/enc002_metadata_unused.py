"""The envelope has metadata that nothing uses

## What it does
Reports entries of `meta` in the envelope of an encrypted state that the method which reads it makes no use of. Only
with an encryption configuration.

## Why is this bad?
OpenTofu writes exactly the entries that the method needs. Another one was added by something else, and nothing protects
`meta`: it may be an attempt to have a state read with a key that the attacker knows, or what a merge of two files left.

## Example
```json
{"meta": {"key_provider.pbkdf2.main": "…", "key_provider.pbkdf2.other": "…"}, "encryption_version": "v0"}
```

## What to do
Find out who wrote it. Any write leaves the entry out, such as `statetool reencrypt --anew --in-place`.
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
            f"The envelope has metadata under {key}, which {opened.method} makes no use of to read the state.",
            fix=Fix.of("To write the envelope without it: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
        )


RULE = Rule(Code.METADATA_UNUSED, _check)
