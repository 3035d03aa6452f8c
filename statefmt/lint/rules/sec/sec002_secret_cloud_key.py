"""The key of a cloud account is in an attribute that is not sensitive

## What it does
Reports keys of cloud accounts in attributes that `sensitive_attributes` does not cover:
- the secret of an AWS access key: 40 characters in an object that also has the key's id (`AKIA…` or `ASIA…`); the
  id alone is not a secret;
- keys of Google service accounts and Google API keys;
- keys, signatures and client secrets of Azure;
- attributes that are keys or connection strings in well-known resource types, such as `google_service_account_key`.

The finding names the attribute and the kind of key, and never shows the key. Other commands hide what the rule reports.

## Why is this bad?
Everyone who sees the key has the rights of the account. Plans, `tofu show`, logs of CI jobs and most tools that
read states show values that are not marked as sensitive. A state contains secrets anyway, and the rule guesses by
shape, so this is information.

## Example
```json
"attributes": {"id": "AKIAIOSFODNN7EXAMPLE", "secret": "wJalr…"}, "sensitive_attributes": []
```

## What to do
Replace the key, and check the account's log for who used it. Better than a new key is a role that needs none.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.secrets.attributes import secret_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    fix = "Replace the key; use a role, or pass the new key through a sensitive variable."
    yield from secret_findings(subject, Code.SECRET_CLOUD_KEY, "Cloud key in plain sight", fix)


RULE = Rule(Code.SECRET_CLOUD_KEY, _check)
