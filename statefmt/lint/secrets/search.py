"""Searches a decoded value for secrets: every string in it, by shape and by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.lint.secrets._names import AZURE_KIND, named_secret, password_in
from statefmt.lint.secrets._shapes import AWS_KIND, has_aws_key_id, has_aws_secret, shapes_anywhere, shapes_in
from statefmt.model.codes import Code

SecretSteps = tuple[str | int, ...]

# Members whose value is named by another member, as in {"name": "DB_PASSWORD", "value": "…"}.
_LABELS: Final = {"value": ("name", "key"), "Value": ("Name", "Key")}
# Levels of JSON inside strings; deeper nesting does not occur in practice.
_DEEPEST: Final = 3


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
