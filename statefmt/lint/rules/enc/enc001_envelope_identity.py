"""The serial or lineage of the envelope differs from the state's

## What it does
Reports an encrypted state whose envelope has another `serial` or `lineage` than the state in it. The rule needs an
encryption configuration, since it must decrypt the state.

## Why is this bad?
The envelope has an unprotected copy of these values, and backends rely on it. Someone changed the copy, or put the
data of one state into the envelope of another: an old state may be passed off as a new one. OpenTofu refuses the
state, and so does every command except `check` and `encryption-info`.

## Example
```json
{"serial": 8, "lineage": "7d1e6a52-…", "encrypted_data": "(a state with the serial 7)", "encryption_version": "v0"}
```

## What to do
Find out who wrote it, and restore the last good copy: a backup with `statetool restore BACKUP`, or one of the versions
that the backend keeps.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.errors import EncryptionError
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is None:
        return
    from statefmt.encryption import identity_differs

    try:
        differ = identity_differs(opened.envelope, opened.plain)
    except EncryptionError:
        # Other rules report an envelope without a state, or with an invalid serial.
        return
    for name in differ:
        yield Code.ENVELOPE_IDENTITY.finding(
            "Envelope of another state",
            f"The {name} of the envelope differs from that of the state inside: the envelope was changed.",
            fix="Restore a backup (statetool restore BACKUP), or a version that the backend keeps.",
        )


RULE = Rule(Code.ENVELOPE_IDENTITY, _check)
