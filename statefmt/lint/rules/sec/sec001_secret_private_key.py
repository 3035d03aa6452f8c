r"""A private key is in an attribute that is not sensitive

## What it does
Reports private keys in attributes that `sensitive_attributes` does not cover: PEM (also in base64), OpenSSH, PGP,
PuTTY and age, and attributes that are private keys in well-known resource types, such as `tls_private_key`. The finding
names the attribute and the kind of key, and never shows the key. Other commands hide what the rule reports.

## Why is this bad?
Plans, `tofu show`, logs of CI jobs and most tools that read states show values that are not marked as sensitive. A
state contains secrets anyway, and the rule guesses by shape, so this is information.

## Example
```json
"attributes": {"content": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq…"}, "sensitive_attributes": []
```

## What to do
Replace the key. Pass the new one through a variable with `sensitive = true`. Better, keep it out of the state: let
the machine generate it or fetch it from a secret store.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.secrets.attributes import secret_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    fix = "Replace the key, and pass the new one through a sensitive variable, or keep it out of the state."
    yield from secret_findings(subject, Code.SECRET_PRIVATE_KEY, "Private key in plain sight", fix)


RULE = Rule(Code.SECRET_PRIVATE_KEY, _check)
