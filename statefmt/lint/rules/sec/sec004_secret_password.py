"""A password stands in an attribute that is not sensitive

## What it does
Reports attributes that `sensitive_attributes` does not cover and that are named as a secret (`password`,
`client_secret`, `API_TOKEN`, `secret_key`…) with a value that can be one, also in maps, in lists of `name` and
`value`, and in JSON in a string; URLs with a password; and `password=…` in a text. Placeholders, references (`arn:…`,
paths, URLs), hashes that say so, and what reads like the name of a thing are left out. The finding names the
attribute and shows nothing of its value.

## Why is this bad?
What is not marked is shown by plans, `tofu show`, logs of CI jobs and most tools that read states. Many providers
declare such attributes sensitive, but not all releases note that in the state. A state holds secrets anyway, and what
is one is a guess here, by its name: information.

## Example
```json
"attributes": {"environment": [{"variables": {"DB_PASSWORD": "not-a-real-password"}}]}, "sensitive_attributes": []
```

## What to do
Change the password. Pass the new one through a variable with `sensitive = true`, or let the program fetch it itself.
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
