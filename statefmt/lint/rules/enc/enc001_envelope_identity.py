"""The envelope says another serial or lineage than the state inside

## What it does
Reports an encrypted state whose envelope has another `serial` or `lineage` than the state in it. Only with an
encryption configuration, since the state must be opened for that.

## Why is this bad?
What stands outside is a copy that nothing protects, and backends go by it. Somebody changed it, or put the data of one
state into the envelope of another: an old state may have been passed off as a new one. OpenTofu refuses it, and so does
every command but `check` and `encryption-info`.

## Example
```json
{"serial": 8, "lineage": "7d1e6a52-…", "encrypted_data": "(a state with the serial 7)", "encryption_version": "v0"}
```

## What to do
Find out who wrote it, and take the last good copy: from a backup, or from the versions that the backend keeps.
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
        # No state is inside, or one whose serial is none: that is for other rules to say.
        return
    for name in differ:
        yield Code.ENVELOPE_IDENTITY.finding(
            "Envelope of another state",
            f"The {name} on the envelope is not the one of the state inside: the envelope was changed.",
            fix="Take the last good copy, from a backup or from the versions that the backend keeps.",
        )


RULE = Rule(Code.ENVELOPE_IDENTITY, _check)
