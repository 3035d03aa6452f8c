"""Collects the sensitive strings of a state, so that no id, key or name repeats one."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, UnsetType

from statefmt.analysis.object_id import SECRET_IDS
from statefmt.formats.versions import StateV4
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.model.addrs import StringKey
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot
from statefmt.redaction.attribute_values import Withheld, withheld_members, withheld_output
from statefmt.redaction.object_value import named_steps, sensitive_paths, typed_steps, with_secrets
from statefmt.redaction.partial import Hidden, Partial
from statefmt.text import pattern

# What many values are: hiding every `true` and every port would hide what is no secret.
_PLAIN: Final = pattern(r"-?[0-9]{0,5}|.|true|false|none|null")
# What is left of an address or a sentence between these may be a secret.
_BARE: Final = pattern(r"""[^\s"'`\[\](){},;:.=]+""")
_CLOSED: Final = pattern(r'"(?:[^"\\]|\\(?s:.))*+"')
# A quoted string without an end goes to the end, so that it is not looked at again from each quote.
_WORD: Final = pattern(r"""[^\s"'`\[\](){},;:.=]+|"(?:[^"\\]|\\(?s:.))*+(?:"|\\?\Z)""")


class StateSecrets(NamedTuple):
    """The sensitive strings of a state, and the `id()` of each object that has secrets without marks."""

    strings: frozenset[str]
    holders: frozenset[int]


def secrets_of(snapshot: Snapshot) -> StateSecrets:
    """Return what is sensitive in a state: in attributes, in outputs, and the results of random resources."""
    found: set[str] = set()
    objects = [(obj, resource.addr.resource.type) for resource in snapshot.resources for obj in resource.objects]
    unmarked = frozenset(id(objects[place][0]) for place in with_secrets(objects))
    for obj, type_name in objects:
        if type_name in SECRET_IDS:
            found.update(_strings_of_all(obj))
        elif obj.attributes is None or id(obj) in unmarked or sensitive_paths(obj):
            for member in withheld_members(obj, type_name).values():
                found.update(_withheld(member))
    for output in snapshot.outputs:
        found.update(_withheld(withheld_output(output)))
    return StateSecrets(_spelled(found), unmarked)


def secrets_of_document(document: StateV4) -> frozenset[str]:
    """Return the sensitive strings of a state that cannot be loaded: its findings may have them in addresses."""
    found: set[str] = set()
    for resource in filter(None, document.resources or ()):
        is_secret = resource.type in SECRET_IDS
        for instance in filter(None, resource.instances or ()):
            if is_secret:
                found.update(filter(None, (instance.attributes_flat or {}).values()))
            if isinstance(instance.attributes, Raw):
                value = _decoded(instance.attributes)
                members = value if isinstance(value, Members) else ()
                hidden = None if is_secret else _first_names(instance.sensitive_attributes)
                if hidden is not None:
                    secret = typed_steps(resource.type or "", instance.attributes)
                    hidden = hidden | {str(steps[0]) for steps in secret} if all(secret) else None
                found.update(_strings([item for name, item in members if hidden is None or name in hidden]))
    for name, output in (document.outputs or {}).items():
        if output is None or not isinstance(output.value, Raw):
            continue
        if output.sensitive or named_steps(name, output.value):
            found.update(_strings(_decoded(output.value)))
    return _spelled(found)


def _first_names(paths: Raw | UnsetType) -> frozenset[str] | None:
    """Return the attributes that sensitive paths lead into; None for all of them, if a path cannot be read."""
    if not isinstance(paths, Raw):
        return frozenset()
    try:
        return frozenset(path[0]["value"] for path in msgspec.json.decode(paths) or ())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, LookupError, TypeError):
        return None


def _spelled(found: Set[str]) -> frozenset[str]:
    """Return what is long enough to be a secret, also as addresses have it."""
    secrets = {text for text in found if not _PLAIN.fullmatch(text)}
    odd = [text for text in secrets if not text.isalnum()]
    # As addresses have them, and as JSON pointers do.
    secrets.update(str(StringKey(text))[2:-2] for text in odd)
    secrets.update(text.replace("~", "~0").replace("/", "~1") for text in odd)
    return frozenset(secrets)


def secret_words(text: str) -> list[str]:
    """Split a text into words and quoted strings, each of which may be a secret."""
    words = _WORD.findall(text)
    if words and words[-1][0] == '"' and not _CLOSED.fullmatch(words[-1]):
        words += _BARE.findall(words.pop())
    return words


def names_secret(text: str, secrets: frozenset[str]) -> bool:
    """Return whether a text, such as an address, is or contains one of the secrets as a word or a quoted string."""
    return text in secrets or any(
        word in secrets or (word[:1] == '"' and word[1:-1] in secrets) for word in secret_words(text)
    )


def _strings_of_all(obj: ResourceInstanceObject) -> Iterator[str]:
    if obj.attributes is None:
        yield from (obj.attributes_flat or {}).values()
        return
    # Numbers are its settings, and so are these strings, which many other objects have.
    value = loads_exact(bytes(obj.attributes), replace_invalid=True)
    members = dict(value) if isinstance(value, Members) else {}
    yield from _strings([item for name, item in members.items() if name not in ("keepers", "override_special")])


def _withheld(part: Partial) -> Iterator[str]:
    if isinstance(part, Withheld):
        yield from _strings(_decoded(part.raw))
    elif isinstance(part, dict):
        for item in part.values():
            yield from _withheld(item)
    elif isinstance(part, list):
        for item in part:
            yield from _withheld(item)


def _decoded(raw: Raw) -> JSONValue:
    try:
        return loads_exact(bytes(raw), replace_invalid=True)
    except (ValueError, RecursionError, msgspec.DecodeError):
        return None


def _strings(value: JSONValue) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Members):
            waiting += [part for _, part in item]
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str) and not isinstance(item, (Hidden, NumberText)):
            yield item
