"""An access token is in an attribute that is not sensitive

## What it does
Reports tokens with a recognisable shape in attributes that `sensitive_attributes` does not cover: GitHub, GitLab,
Slack (and its webhooks), Vault, npm, PyPI, Stripe, SendGrid, OpenAI, Anthropic, and JSON web tokens, and attributes
that are tokens in well-known resource types, such as `aws_eks_cluster_auth`. The finding names the attribute and the
kind of token, and never shows the token. Other commands hide what the rule reports.

## Why is this bad?
Everyone who sees the token can act for its owner. Plans, `tofu show`, logs of CI jobs and most tools that read
states show values that are not marked as sensitive. A state contains secrets anyway, and the rule guesses by shape,
so this is information.

## Example
```json
"attributes": {"environment": {"variables": {"CI": "glpat-…"}}}, "sensitive_attributes": []
```

## What to do
Revoke the token. Pass the new one through a variable with `sensitive = true`, or let the program fetch it itself.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.secrets.attributes import secret_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    fix = "Revoke the token, and pass a new one through a sensitive variable."
    yield from secret_findings(subject, Code.SECRET_TOKEN, "Token in plain sight", fix)


RULE = Rule(Code.SECRET_TOKEN, _check)
