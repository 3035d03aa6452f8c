"""The envelope has an unsupported version

## What it does
Reports an encrypted state whose `encryption_version` is not `v0`, the only version so far. The rule needs no
encryption configuration.

## Why is this bad?
Neither OpenTofu nor statetool can read the state, whatever the configuration. A newer release may have written it,
or the file is damaged.

## Example
```json
{"serial": 7, "meta": {}, "encrypted_data": "…", "encryption_version": "v1"}
```

## What to do
Try a newer statetool or OpenTofu. Otherwise restore the file from a backup.
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
            f"The envelope has version {version}; only {VERSION} can be read.",
            fix="Try a newer statetool, or restore the file from a backup.",
        )


RULE = Rule(Code.ENVELOPE_VERSION, _check)
