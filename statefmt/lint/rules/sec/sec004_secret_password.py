"""A password is in an attribute that is not sensitive

## What it does
Reports passwords and other secrets in attributes that `sensitive_attributes` does not cover:
- attributes that the provider of a well-known resource type declares sensitive: the result of a `random_password`, the
  content of a `local_sensitive_file`, the data of a `kubernetes_secret`, the versions of secrets of all clouds…;
- attributes whose name suggests a secret (`password`, `client_secret`, `API_TOKEN`, `secret_key`…) and whose value
  could be one, also in maps, in lists of `name` and `value`, and in JSON inside a string;
- URLs with a password;
- `password=…` inside a string.

Placeholders, references (`arn:…`, paths, URLs), labelled hashes, and values that read like the name of a thing are
ignored, but for the well-known types. The finding names the attribute and never shows its value. Other commands hide
what the rule reports.

## Why is this bad?
Plans, `tofu show`, logs of CI jobs and most tools that read states show values that are not marked as sensitive.
Many providers declare such attributes sensitive, but not all releases record that in the state. A state contains
secrets anyway, and the rule guesses by name, so this is information.

## Example
```json
"attributes": {"environment": [{"variables": {"DB_PASSWORD": "not-a-real-password"}}]}, "sensitive_attributes": []
```

## What to do
Change the password. Pass the new one through a variable with `sensitive = true`, or let the program fetch it
itself.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.secrets.attributes import secret_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    fix = "Change it, and pass the new one through a sensitive variable."
    yield from secret_findings(subject, Code.SECRET_PASSWORD, "Password in plain sight", fix)


RULE = Rule(Code.SECRET_PASSWORD, _check)
