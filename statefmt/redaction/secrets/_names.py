"""Recognises secrets by name: attributes such as `password` with a plausible value, and URLs with a password.

A name alone is weak evidence, so the value must look like a secret: not a placeholder, a reference to a secret store
or a hash.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from statefmt.text.pattern import pattern

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
# References to a place where a secret is kept; labelled hashes and ciphertexts.
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
_AWS_KEY_ID: Final = pattern(r"A[A-Z]{2}A[A-Z2-7]{16}")
_AZURE_STORAGE_KEY: Final = pattern(r"[A-Za-z0-9+/]{86}==")
AZURE_KIND: Final = "an Azure storage key"

# In an image reference, a digest follows the tag: `@sha256:…`.
_URL_PASSWORD: Final = pattern(r"://[^\s/:@\"'\\]*:([^\s/@?#\"'\\]+)@(?!sha\d+:)")
_ASSIGNED: Final = pattern(r"(?:passw(?:or)?d|pwd)=([^\s;\"'&\\]+)", re.IGNORECASE)


def named_secret(name: str, value: str) -> str | None:
    """Return the kind of secret that a value is by its name (`DB_PASSWORD`, `clientSecret`), or None."""
    kind = _kind_of(name)
    if kind is None or not _is_literal(value):
        return None
    if kind == "a password":
        return kind if len(value) >= 4 else None
    if kind == "a secret key":
        if _AZURE_STORAGE_KEY.fullmatch(value):
            return AZURE_KIND
        if _UUID.fullmatch(value) or _AWS_KEY_ID.fullmatch(value):
            return None
    has_both = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    return kind if len(value) >= 12 and has_both and not _SLUG.fullmatch(value) else None


def names_secret(name: str) -> bool:
    """Return whether a name is that of a secret, whatever the value is."""
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
    """Whether a value can itself be a secret."""
    return not (any(char.isspace() for char in value) or _PLACEHOLDER.fullmatch(value) or _NO_LITERAL.match(value))
