"""Decides what is a secret: by the type of its resource, by its shape and by its name.

What `attribute_secrets` and `secrets_in` find is what the rules report and what is hidden, with a mark or without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.model.codes import Code
from statefmt.redaction.secrets._known import KnownSecret, flat_places_of, places_of
from statefmt.redaction.secrets._names import AZURE_KIND, named_secret, names_secret, password_in
from statefmt.redaction.secrets._shapes import AWS_KIND, has_aws_key_id, has_aws_secret, shapes_anywhere, shapes_in
from statefmt.redaction.secrets.covered import SecretSteps

# Members whose value is named by another member, as in {"name": "DB_PASSWORD", "value": "…"}.
_LABELS: Final = {"value": ("name", "key"), "Value": ("Name", "Key")}
# Levels of JSON inside strings; deeper nesting does not occur in practice.
_DEEPEST: Final = 3
# What a known secret is if there is none.
_EMPTY: Final[tuple[JSONValue, ...]] = (None, "", [], Members())
# A shorter string may be the same as a secret by chance.
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
    # Whether it is part of JSON inside another string, whose shapes already include its own.
    is_inner: bool


def attribute_secrets(
    value: JSONValue, known: Sequence[KnownSecret], *, is_flat: bool = False
) -> tuple[FoundSecret, ...]:
    """Return the secrets in the attributes of an object, `known` being those of its type.

    Of a known secret that is not a string, all of the value is secret. A string elsewhere in the attributes that is
    the same as a secret is one, too: the id of a random_password was its result.
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
        found = [secret for secret in found if not _is_within(secret, whole, lengths)]
        found += whole.values()
    return (*found, *_copies(value, found)) if found else ()


def _is_within(secret: FoundSecret, whole: Mapping[SecretSteps, FoundSecret], lengths: Iterable[int]) -> bool:
    """Return whether a secret is part of a larger one that its rule reports as a whole."""
    around = (whole.get(secret.steps[:length]) for length in lengths)
    return any(one is not None and one.code == secret.code for one in around)


def _copies(value: JSONValue, found: Sequence[FoundSecret]) -> Iterator[FoundSecret]:
    """Yield the strings that are the same as a secret."""
    texts = [text for text in _texts(value, "") if not text.is_inner and len(text.text) >= _SHORTEST_COPY]
    at = {text.steps: text.text for text in texts}
    secrets = {at[secret.steps]: secret for secret in found if secret.steps in at}
    paths = {secret.steps for secret in found}
    for text in texts:
        secret = secrets.get(text.text)
        if secret is not None and text.steps not in paths:
            yield FoundSecret(secret.code, secret.kind, text.steps)


def without_secret_names(steps: SecretSteps) -> SecretSteps:
    """Return the steps before the first one that is itself a secret by its shape: keys of maps can be."""
    for place, step in enumerate(steps):
        if isinstance(step, str) and (shapes_in(step) or has_aws_key_id(step) or has_aws_secret(step)):
            return steps[:place]
    return steps


def secrets_in(value: JSONValue, name: str = "") -> Iterator[FoundSecret]:
    """Yield the secrets in a named value, at most one for each rule and string, in the order of the value.

    Strings that contain JSON are searched for names as well; secrets in them get the path of the string.
    """
    texts = list(_texts(value, name))
    shapes = shapes_anywhere(text.text for text in texts)
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
    """Return whether a named string may be a secret: by its name, whatever it looks like, or by its shape."""
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
    """Return the name of a member's value: the member's own, or that of a label next to it."""
    for label, text in members if member in _LABELS else ():
        if label in _LABELS[member] and isinstance(text, str):
            return text
    return member
