"""Recognises secrets by shape alone, whatever their name: private keys, cloud keys, tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from statefmt.model.codes import Code
from statefmt.text.pattern import pattern


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


# After the first line come line ends (perhaps escaped), headers, and then base64, which placeholders do not have.
_BODY: Final = r"-----(?:(?!-----).){1,400}?[A-Za-z0-9+/]{24}"
_END: Final = r"(?![A-Za-z0-9_-])"

SHAPES: Final = (
    *_shapes(
        Code.SECRET_PRIVATE_KEY,
        {
            "an OpenSSH private key": rf"-----BEGIN OPENSSH PRIVATE KEY{_BODY}",
            "a PGP private key": rf"-----BEGIN PGP PRIVATE KEY BLOCK{_BODY}",
            "a private key (PEM)": rf"-----BEGIN (?:(?:RSA|EC|DSA|ENCRYPTED) )?PRIVATE KEY{_BODY}",
            # "-----BEGIN PRIVATE KEY", and the same with RSA, EC and OPENSSH.
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

# An AWS key consists of two strings: the id is not secret, and 40 characters alone could be anything.
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


def shapes_anywhere(texts: Iterable[str]) -> tuple[Shape, ...]:
    """Return the shapes that occur in any of the strings, which is faster than trying each shape on each string."""
    whole = "\n".join(texts)
    return tuple(shape for shape in SHAPES if shape.pattern.search(whole))


def has_aws_key_id(text: str) -> bool:
    """Whether a string contains the id of an AWS access key."""
    return _AWS_KEY_ID.search(text) is not None


def has_aws_secret(text: str) -> bool:
    """Whether a string contains 40 characters that would be a secret next to the id of an AWS access key."""
    return _AWS_SECRET.search(text) is not None
