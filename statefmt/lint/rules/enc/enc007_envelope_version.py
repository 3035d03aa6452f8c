"""The envelope has a version that cannot be read

## What it does
Reports an encrypted state whose `encryption_version` is not `v0`, the only one there is. It needs no configuration.

## Why is this bad?
Neither OpenTofu nor statetool reads it, whatever the configuration. A newer release may have written it, or the file is
damaged.

## Example
```json
{"serial": 7, "meta": {}, "encrypted_data": "…", "encryption_version": "v1"}
```

## What to do
Look whether a newer statetool or OpenTofu reads it; else take a backup.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    if not subject.is_encrypted or subject.envelope is not None:
        return
    from statefmt.encryption import version_of
    from statefmt.encryption.envelope import VERSION

    version = version_of(subject.inspection.data)
    if version not in ("", VERSION):
        yield Code.ENVELOPE_VERSION.finding(
            "Unsupported envelope version",
            f"The envelope is of version {version}, and only {VERSION} can be read.",
            fix="A newer statetool may read it.",
        )


RULE = Rule(Code.ENVELOPE_VERSION, _check)
