"""Decides which values are secrets: by the type of the resource, by shape and by name.

The rules report, and the redaction hides, the results of `attribute_secrets` and `secrets_in`. A name alone is weak
evidence, so the value must look like a secret: not a placeholder, a reference to a secret store or a hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, NamedTuple

from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.model.findings import Code
from statefmt.redaction.secrets import KnownSecret, SecretSteps, flat_places_of, places_of
from statefmt.text import pattern

# Members whose value is named by another member, as in {"name": "DB_PASSWORD", "value": "…"}.
_LABELS: Final = {"value": ("name", "key"), "Value": ("Name", "Key")}
# Levels of JSON inside strings; deeper nesting does not occur in practice.
_DEEPEST: Final = 3
# Values of a known secret that is not set.
_EMPTY: Final[tuple[JSONValue, ...]] = (None, "", [], Members())
# A shorter string may equal a secret by chance.
_SHORTEST_COPY: Final = 6


class FoundSecret(NamedTuple):
    """A secret: the code of its rule, its kind and its path, but never its value."""

    code: str
    kind: str
    steps: SecretSteps


class _Text(NamedTuple):
    steps: SecretSteps
    name: str
    text: str
    # Whether it is part of JSON inside another string, whose shapes already include this one.
    is_inner: bool


def attribute_secrets(
    value: JSONValue, known: Sequence[KnownSecret], *, is_flat: bool = False
) -> tuple[FoundSecret, ...]:
    """Return the secrets in the attributes of an object, `known` being the known secrets of its type.

    All of a known secret is secret, even if it is not a string. A string elsewhere in the attributes that equals a
    secret is a secret, too: the id of a random_password was its result.
    """
    found = list(secrets_in(value))
    paths = {secret.steps for secret in found}
    whole = {
        steps: FoundSecret(one.code, one.kind, steps)
        for one in known
        for steps, part in (flat_places_of if is_flat else places_of)(one, value)
        if part not in _EMPTY and steps not in paths
    }
    if whole:
        lengths = {len(steps) for steps in whole}
        around = {secret: [whole.get(secret.steps[:length]) for length in lengths] for secret in found}
        # The same rule already reports the larger secret that contains this one.
        found = [secret for secret in found if not any(one and one.code == secret.code for one in around[secret])]
        found += whole.values()
    return (*found, *_copies(value, found)) if found else ()


def _copies(value: JSONValue, found: Sequence[FoundSecret]) -> Iterator[FoundSecret]:
    """Yield the strings that equal a secret."""
    texts = [text for text in _texts(value, "") if not text.is_inner and len(text.text) >= _SHORTEST_COPY]
    at = {text.steps: text.text for text in texts}
    secrets = {at[secret.steps]: secret for secret in found if secret.steps in at}
    paths = {secret.steps for secret in found}
    for text in texts:
        secret = secrets.get(text.text)
        if secret is not None and text.steps not in paths:
            yield FoundSecret(secret.code, secret.kind, text.steps)


def without_secret_names(steps: SecretSteps) -> SecretSteps:
    """Return the steps before the first step that is itself a secret by its shape, as keys of maps can be."""
    for place, step in enumerate(steps):
        if isinstance(step, str) and (shapes_in(step) or has_aws_key_id(step) or has_aws_secret(step)):
            return steps[:place]
    return steps


def secrets_in(value: JSONValue, name: str = "") -> Iterator[FoundSecret]:
    """Yield the secrets in a named value, at most one for each rule and string, in the order of the value.

    Strings that contain JSON are also searched for names; secrets in them get the path of the string.
    """
    texts = list(_texts(value, name))
    # Shapes that occur anywhere: faster than trying each shape on each string.
    whole = "\n".join([text.text for text in texts])
    shapes = [shape for shape in SHAPES if shape.pattern.search(whole)]
    has_aws_id = any(has_aws_key_id(text.text) for text in texts)
    found: dict[SecretSteps, dict[str, str]] = {}
    for steps, called, text, is_inner in texts:
        kinds = found.setdefault(steps, {})
        if not is_inner:
            kinds |= shapes_in(text, shapes)
            if has_aws_id and Code.SECRET_CLOUD_KEY not in kinds and has_aws_secret(text):
                kinds[Code.SECRET_CLOUD_KEY] = AWS_KIND
        kind = None if kinds else named_secret(called, text) or password_in(text)
        if kind:
            kinds[Code.SECRET_CLOUD_KEY if kind == AZURE_KIND else Code.SECRET_PASSWORD] = kind
    for steps, kinds in found.items():
        yield from (FoundSecret(code, kind, steps) for code, kind in kinds.items())


def may_be_secret(name: str, value: str) -> bool:
    """Return whether a named string may be a secret: by its name, regardless of its value, or by its shape."""
    return names_secret(name) or next(secrets_in(value), None) is not None


def _texts(value: JSONValue, name: str) -> Iterator[_Text]:
    """Yield the strings in a value in order, with their paths and names. Not recursive: values may nest deeply."""
    waiting: list[tuple[JSONValue, SecretSteps, str, int]] = [(value, (), name, 0)]
    while waiting:
        current, steps, called, depth = waiting.pop()
        if isinstance(current, Members):
            for member, item in reversed(current):
                waiting.append((item, steps if depth else (*steps, member), _name(member, current), depth))
        elif isinstance(current, list):
            for place, item in reversed(list(enumerate(current))):
                waiting.append((item, steps if depth else (*steps, place), "", depth))
        elif isinstance(current, str) and not isinstance(current, NumberText):
            yield _Text(steps, called, current, depth > 0)
            if depth < _DEEPEST and current[:1] in ("{", "["):
                with suppress(ValueError):
                    waiting.append((loads_exact(current.encode()), steps, "", depth + 1))


def _name(member: str, members: Members) -> str:
    """Return the name of a member's value: the member's own, or the value of a label next to it."""
    for label, text in members if member in _LABELS else ():
        if label in _LABELS[member] and isinstance(text, str):
            return text
    return member


_CAMEL: Final = pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_KINDS: Final = {
    "a password": pattern(r"(?:password|passwd|passphrase|pwd)$"),
    "a secret": pattern(r"secret(?:_string|_value)?$"),
    # The excluded tokens identify requests or pages of results.
    "a token": pattern(
        r"(?<!creation_)(?<!client_)(?<!request_)(?<!next_)(?<!idempotency_)(?<!page_)(?<!continuation_)"
        r"(?<!update_)(?<!lock_)(?<!change_)token$"
    ),
    "a secret key": pattern(r"(?:api|access|secret|private|account|shared|signing|auth|master)_?key$"),
}
_PLACEHOLDER: Final = pattern(
    r"(.)\1*|[x*.-]+|none|null|nil|true|false|yes|no|n/?a|tbd|todo|unused|unknown|default|required|optional|enabled"
    r"|disabled|(?:my|the|some|your|new|old|db|user|root|admin)?[ _-]*(?:password|passwd|pass|pwd|secret|token|key)"
    r"|(?:change|replace)[ _-]?(?:me|it|this).*|(?:redacted|masked|hidden|sensitive|ignored?|dummy|fake|placeholder"
    r"|example|managed|stored|generated|set|see|your|insert|enter)(?:[ _-].*)?"
    r"|<.*>|\(.*\)|\[.*\]|\{.*\}|\$[({].*|(?-i:\$[A-Z_]+)|%.*%|@Microsoft\.KeyVault\(.*",
    re.IGNORECASE | re.DOTALL,
)
# References to the location of a secret; labelled hashes and ciphertexts.
_NO_LITERAL: Final = pattern(
    r"arn:|[a-z][a-z0-9+.-]*://|projects/|alias/|~?\.{0,2}/[\w.-]+(?:/|\.\w+$)|[a-z]:\\"
    r"|(?:vault|ssm|secretsmanager|secret|kms|env|file|ref\+\w+|data|var|local|module)[:.]|ENC\[|AQICAH"
    r"|\$(?:\d|2[abxy]|y|apr1|argon2\w*|pbkdf2[\w-]*|scrypt)\$|\{(?:S?SHA\d*|S?MD5|CRYPT|PBKDF2\S*)\}"
    r"|(?:md5|sha\d+|bcrypt|scrypt|pbkdf2|argon2\w*|scram-sha-\d+|crypt)[:$-]|md5[0-9a-f]{32}$",
    re.IGNORECASE,
)
_UUID: Final = pattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
# Joined words, numbers and versions: the name of a thing.
_SLUG: Final = pattern(r"(?:[A-Za-z]+|\d+|v\d+)(?:[-_./:](?:[A-Za-z]+|\d+|v\d+))*")
_AWS_UNIQUE_ID: Final = pattern(r"A[A-Z]{2}A[A-Z2-7]{16}")
_AZURE_STORAGE_KEY: Final = pattern(r"[A-Za-z0-9+/]{86}==")
AZURE_KIND: Final = "an Azure storage key"

# In an image reference, a digest follows the tag: `@sha256:…`.
_URL_PASSWORD: Final = pattern(r"://[^\s/:@\"'\\]*:([^\s/@?#\"'\\]+)@(?!sha\d+:)")
_ASSIGNED: Final = pattern(r"(?:passw(?:or)?d|pwd)=([^\s;\"'&\\]+)", re.IGNORECASE)


def named_secret(name: str, value: str) -> str | None:
    """Return the kind of secret suggested by the name of a value (`DB_PASSWORD`, `clientSecret`), or None."""
    kind = _kind_of(name)
    if kind is None or not _is_literal(value):
        return None
    if kind == "a password":
        return kind if len(value) >= 4 else None
    if kind == "a secret key":
        if _AZURE_STORAGE_KEY.fullmatch(value):
            return AZURE_KIND
        if _UUID.fullmatch(value) or _AWS_UNIQUE_ID.fullmatch(value):
            return None
    has_both = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return kind if len(value) >= 12 and has_both and not _SLUG.fullmatch(value) else None


def names_secret(name: str) -> bool:
    """Return whether a name suggests a secret, regardless of the value."""
    return _kind_of(name) is not None


def password_in(text: str) -> str | None:
    """Return the kind of secret if a string contains a password in a URL or after `password=`, or None."""
    if any(_is_literal(found) for found in _URL_PASSWORD.findall(text)):
        return "a URL with a password"
    if any(len(found) >= 4 and _is_literal(found) for found in _ASSIGNED.findall(text)):
        return "a password"
    return None


@lru_cache(maxsize=4096)
def _kind_of(name: str) -> str | None:
    plain = re.sub(r"[-. ]", "_", _CAMEL.sub("_", name).lower())
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(plain)), None)


def _is_literal(value: str) -> bool:
    return not (any(char.isspace() for char in value) or _PLACEHOLDER.fullmatch(value) or _NO_LITERAL.match(value))


class Shape(NamedTuple):
    """A kind of secret: the code of its rule, its description and its pattern."""

    code: str
    kind: str
    pattern: re.Pattern[str]


def _shapes(code: str, shapes: Mapping[str, str]) -> tuple[Shape, ...]:
    return tuple(Shape(code, kind, pattern(expression, re.DOTALL | re.ASCII)) for kind, expression in shapes.items())


def _word(start: str, rest: str) -> str:
    """Return a pattern that does not match inside a longer word. It starts with a literal, which `re` finds fast."""
    literal = re.escape(start)
    return rf"{literal}(?<![A-Za-z0-9_-]{literal}){rest}"


# The first line is followed by line ends (perhaps escaped), headers, and then base64, which placeholders lack.
_BODY: Final = r"-----(?:(?!-----).){1,400}?[A-Za-z0-9+/]{24}"
_END: Final = r"(?![A-Za-z0-9_-])"

SHAPES: Final = (
    *_shapes(
        Code.SECRET_PRIVATE_KEY,
        {
            "an OpenSSH private key": rf"-----BEGIN OPENSSH PRIVATE KEY{_BODY}",
            "a PGP private key": rf"-----BEGIN PGP PRIVATE KEY BLOCK{_BODY}",
            "a private key (PEM)": rf"-----BEGIN (?:(?:RSA|EC|DSA|ENCRYPTED) )?PRIVATE KEY{_BODY}",
            # "-----BEGIN PRIVATE KEY", and the variants with RSA, EC and OPENSSH.
            "a private key (PEM in base64)": "LS0tLS1CRUdJTiB"
            "(?:QUklWQVRFIEtFWS0t|SU0EgUFJJVkFURSBLRVkt|FQyBQUklWQVRFIEtFWS0t|PUEVOU1NIIFBSSVZBVEUgS0VZ)",
            "a PuTTY private key": r"PuTTY-User-Key-File-\d: ",
            "an age private key": r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
        },
    ),
    *_shapes(
        Code.SECRET_CLOUD_KEY,
        {
            # {"type": "service_account"
            "the key of a Google service account (in base64)": "ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCI",
            "a Google API key": _word("AIza", r"[0-9A-Za-z_-]{35}") + _END,
            "an Azure storage key": r"AccountKey=[A-Za-z0-9+/]{86}==",
            "an Azure shared access key": r"SharedAccessKey=[A-Za-z0-9+/]{43}=",
            # An ampersand may be escaped as \u0026, which ends with 6.
            "an Azure shared access signature": r"sig=(?<=[?&;6]sig=)[A-Za-z0-9%+/]{43,}",
            "an Azure client secret": r"Q~(?<=[\w.~-]{3}\dQ~)[\w.~-]{31,34}(?![\w.~-])",
        },
    ),
    *_shapes(
        Code.SECRET_TOKEN,
        {
            "a GitHub token": _word("gh", r"[pousr]_[A-Za-z0-9]{36}") + _END,
            "a GitHub token (fine-grained)": _word("github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}") + _END,
            "a GitLab token": _word("glpat-", r"[A-Za-z0-9_-]{20}"),
            "a Slack token": _word("xox", r"[abeoprs]-[A-Za-z0-9-]{20}"),
            "a Slack webhook": r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9]+/[A-Za-z0-9/]{20}",
            "a Vault token": _word("hv", r"[bsr]\.[A-Za-z0-9_-]{24}"),
            "an npm token": _word("npm_", r"[A-Za-z0-9]{36}") + _END,
            "a PyPI token": r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50}",
            "a Stripe key": r"k_live_(?<=[rs]k_live_)(?<![A-Za-z0-9_-].k_live_)[A-Za-z0-9]{20}",
            "a SendGrid key": _word("SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}") + _END,
            "an OpenAI key": _word("sk-", r"[A-Za-z0-9_-]{0,80}T3BlbkFJ[A-Za-z0-9_-]{20}"),
            "an Anthropic key": _word("sk-ant-", r"[A-Za-z0-9_-]{40}"),
            "a JSON web token": _word("eyJ", r"[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10}"),
        },
    ),
)
# The minimum length of a match of any shape.
_SHORTEST: Final = 20
_GOOGLE: Final = pattern(r'"service_account\\*"')

# An AWS key consists of two strings: the id is not secret, and 40 characters alone are not specific.
_AWS_KEY_ID: Final = pattern(r"A[KS]IA(?<![A-Za-z0-9]....)[A-Z2-7]{16}(?![A-Za-z0-9])")
_AWS_SECRET: Final = pattern(
    r"(?<![A-Za-z0-9+/])(?=[A-Za-z0-9+/]{0,39}[0-9+/])(?=[A-Za-z0-9+/]{0,39}[A-Z])(?=[A-Za-z0-9+/]{0,39}[a-z])"
    r"[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])"
)
AWS_KIND: Final = "an AWS secret access key"


def shapes_in(text: str, shapes: Iterable[Shape] = SHAPES) -> dict[str, str]:
    """Return the kinds of secrets in a string, at most one for each rule, by code."""
    found: dict[str, str] = {}
    if len(text) < _SHORTEST:
        return found
    for code, kind, shape in shapes:
        if code not in found and shape.search(text):
            found[code] = kind
    if Code.SECRET_PRIVATE_KEY in found and _GOOGLE.search(text):
        del found[Code.SECRET_PRIVATE_KEY]
        found[Code.SECRET_CLOUD_KEY] = "the key of a Google service account"
    return found


def has_aws_key_id(text: str) -> bool:
    """Whether a string contains the id of an AWS access key."""
    return _AWS_KEY_ID.search(text) is not None


def has_aws_secret(text: str) -> bool:
    """Whether a string contains 40 characters that would be a secret next to the id of an AWS access key."""
    return _AWS_SECRET.search(text) is not None
