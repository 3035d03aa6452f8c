"""Rules about secrets in attributes that `sensitive_attributes` does not cover (SEC)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from statefmt.formats.raw_json import token
from statefmt.lint.rule import Rule
from statefmt.lint.subject import ObjectPart, Subject, sensitive_paths
from statefmt.model.findings import Code, Finding
from statefmt.redaction.partial import path_text
from statefmt.redaction.secrets import Covered, TypedAttributes, secrets_of_object, suspected_objects, typed_attributes

if TYPE_CHECKING:
    from statefmt.redaction.secrets.search import FoundSecret


def _rule(code: Code, summary: str, fix: str, page: str) -> Rule:
    return Rule(code, lambda subject: _findings(subject, code, summary, fix), page=page)


def _findings(subject: Subject, code: Code, summary: str, fix: str) -> Iterator[Finding]:
    for secret, part in subject.once(_secrets):
        if secret.code == code:
            from statefmt.redaction.secrets.search import without_secret_names

            steps = without_secret_names(secret.steps)
            member = "attributes" if part.document.attributes is not UNSET else "attributes_flat"
            yield code.finding(
                summary,
                f"{part.address}: {path_text(steps) or 'a member of the attributes'} contains what looks like "
                f"{secret.kind}, but is not marked as sensitive.",
                part.address,
                "/".join((part.pointer, member, *(token(str(step)) for step in steps))),
                fix,
            )


def _secrets(subject: Subject) -> list[tuple[FoundSecret, ObjectPart]]:
    placed: list[tuple[FoundSecret, ObjectPart]] = []
    documents = ((part, part.document) for part in subject.objects)
    parts = [part for part, obj in documents if obj.attributes is not UNSET or obj.attributes_flat]
    objects = [_typed(part) for part in parts]
    for number in suspected_objects(objects):
        try:
            found = secrets_of_object(objects[number])
        except ValueError:
            # Nested too deeply for Python.
            continue
        covered = Covered(sensitive_paths(parts[number].document))
        placed += [(secret, parts[number]) for secret in found if secret.steps not in covered]
    return placed


def _typed(part: ObjectPart) -> TypedAttributes:
    obj, type_name = part.document, part.resource.document.type
    attributes = None if obj.attributes is UNSET else obj.attributes
    return typed_attributes(type_name if isinstance(type_name, str) else "", attributes, obj.attributes_flat)


RULES: Final = (
    _rule(
        Code.SECRET_PRIVATE_KEY,
        "Private key in plain sight",
        "Replace the key, and pass the new one through a sensitive variable, or keep it out of the state.",
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
""",
    ),
    _rule(
        Code.SECRET_CLOUD_KEY,
        "Cloud key in plain sight",
        "Replace the key; use a role, or pass the new key through a sensitive variable.",
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
""",
    ),
    _rule(
        Code.SECRET_TOKEN,
        "Token in plain sight",
        "Revoke the token, and pass a new one through a sensitive variable.",
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
""",
    ),
    _rule(
        Code.SECRET_PASSWORD,
        "Password in plain sight",
        "Change it, and pass the new one through a sensitive variable.",
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
""",
    ),
)
