"""Masks sensitive values and copies of them in the rows of one state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct, UnsetType

from statefmt.analysis.object_id import SECRET_IDS
from statefmt.fleet.tables import FindingRow
from statefmt.formats.raw_json.positions import finding_positions
from statefmt.formats.versions import StateV4
from statefmt.golang import JSONValue, Members, NumberText, loads_exact
from statefmt.model.addrs import StringKey
from statefmt.model.findings import NO_FIX, Command, Finding, Fix
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot
from statefmt.redaction.attribute_values import Withheld, withheld_members, withheld_output
from statefmt.redaction.object_value import (
    attributes_value,
    identity_value,
    named_steps,
    sensitive_paths,
    typed_steps,
    with_secrets,
)
from statefmt.redaction.partial import HIDDEN, Hidden, Partial, decoded, exact_text
from statefmt.text import pattern

# An ordinary string, which can be encoded.
MASK: Final = str(HIDDEN)
# The limit up to which secrets are searched one by one, which is faster.
_FEW: Final = 32
# Its configuration may contain credentials; `remote_refs` has the rest of it.
REMOTE_STATE: Final = "terraform_remote_state"
_SURROGATE: Final = pattern(rb"\\u[Dd]")
# Includes unterminated strings, as in hostile bytes, so that the search does not restart at each quote.
_QUOTED: Final = pattern(rb'"(?:[^"\\]|\\(?s:.))*+(?:"|\\?\Z)')
# A word of a sentence, such as an address, with its quoted strings.
_TOKEN: Final = pattern(r'(?:"(?:[^"\\]|\\(?s:.))*+(?:"|\\?\Z)|[^\s"])+')
# Findings quote an invalid address, whose names cannot be separated.
_INVALID: Final = pattern(r"\(column [0-9]+ of the [a-z ]+ (?=['\"])")
# The most secrets to search for in each string, and the length below which they occur in too many words.
_MOST: Final = 200
_LEAST: Final = 4


def one_line(value: bytes | Raw) -> bytes:
    """Return JSON without whitespace between its parts, so that the layout of a file does not matter."""
    text = bytes(value)
    if b"\n" not in text:
        return text
    try:
        return msgspec.json.format(text, indent=-1)
    except (msgspec.DecodeError, RecursionError):
        return _replaced(text)


def json_text(value: bytes) -> str:
    """Return JSON as a string. Invalid Unicode is replaced, like in OpenTofu: a database has only Unicode."""
    return (_replaced(value) if _SURROGATE.search(value) else value).decode("utf-8", "replace")


def _replaced(value: bytes) -> bytes:
    try:
        return exact_text(loads_exact(value, replace_invalid=True))
    except (ValueError, RecursionError):
        return value


class Masking:
    """Hides the sensitive values of one state. `secrets` are its sensitive strings, `holders` the `id()` of each object
    with unmarked secrets.

    `names` are the secrets that may occur in names, keys or addresses; empty if none occurs.
    """

    def __init__(
        self, secrets: frozenset[str], names: frozenset[str] | None = None, *, holders: frozenset[int] = frozenset()
    ) -> None:
        self.secrets = secrets
        self._holders = holders
        self.names = secrets if names is None else names
        # By identity: the reader shares one address for equal text, and formatting addresses dominates the time here.
        self._printed: dict[int, tuple[object, str]] = {}

    def printed(self, address: object) -> str:
        """Return an address as a string, hidden if it contains a secret; cached for each address."""
        found = self._printed.get(id(address))
        if found is None:
            found = self._printed[id(address)] = (address, self.address(str(address)))
        return found[1]

    def text(self, text: str) -> str:
        """Return a name or a key, hidden if it is a secret."""
        return MASK if text in self.names else text

    def address(self, text: str) -> str:
        """Return an address, hidden if it contains a secret."""
        return MASK if self.names and names_secret(text, self.names) else text

    def pointer(self, pointer: str) -> str:
        """Return a JSON pointer, hidden if a name in it contains a secret."""
        if not self.names:
            return pointer
        names = (name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/"))
        return MASK if any(names_secret(name, self.names) for name in names) else pointer

    def prose(self, text: str) -> str:
        """Return a sentence; words, addresses and quoted strings that contain a secret are hidden."""
        if not self.names:
            return text
        invalid = _INVALID.search(text) if text.endswith(("')", '")')) else None
        if invalid is not None:
            # A part of an invalid address may be a secret, with any escapes.
            plain = text[invalid.end() :].replace("\\", "")
            if len(self.names) > _MOST or any(secret in plain for secret in self._unescaped):
                text = f"{text[: invalid.end()]}{MASK})"
        words = secret_words(text) if self._phrases else ()
        if any(phrase in text for word in words for phrase in self._phrases.get(word, ())):
            return MASK
        return _TOKEN.sub(lambda found: MASK if names_secret(found[0], self.names) else found[0], text)

    @cached_property
    def _unescaped(self) -> Set[str]:
        return {plain for secret in self.names if len(plain := secret.replace("\\", "")) >= _LEAST}

    @cached_property
    def _phrases(self) -> Mapping[str, list[str]]:
        """The secrets of several words, by the first word."""
        found: dict[str, list[str]] = {}
        for secret in self.names:
            first, *others = secret_words(secret)[:2] or [secret]
            if others:
                found.setdefault(first, []).append(secret)
        return found

    def is_secret(self, type_name: str) -> bool:
        """Return whether resources of a type are entirely secret, or have unmarked credentials."""
        return type_name in SECRET_IDS or type_name == REMOTE_STATE

    def is_plain(self, obj: ResourceInstanceObject) -> bool:
        """Return whether the attributes of an object contain nothing sensitive."""
        return obj.sensitive_attributes == b"[]" and id(obj) not in self._holders

    def attributes(self, obj: ResourceInstanceObject, type_name: str) -> bytes | None:
        """Return the attributes as JSON with sensitive parts hidden; None for an entirely secret resource."""
        return (
            None if self.is_secret(type_name) else self._shown(attributes_value(obj, type_name, show_sensitive=False))
        )

    def identity(self, obj: ResourceInstanceObject, type_name: str) -> bytes | None:
        """Return the identity as JSON with sensitive parts hidden."""
        return self._shown(identity_value(obj, type_name, show_sensitive=False))

    def repeats(self, value: bytes) -> bool:
        """Return whether the strings in JSON contain a secret."""
        if not self.secrets or (len(self._encoded) <= _FEW and not any(secret in value for secret in self._encoded)):
            return False
        return any(text in self._encoded for text in _QUOTED.findall(value))

    @cached_property
    def _encoded(self) -> frozenset[bytes]:
        return frozenset(msgspec.json.encode(text.encode("utf-8", "replace").decode()) for text in self.secrets)

    def _shown(self, value: Partial) -> bytes | None:
        try:
            text = exact_text(value)
            return one_line(exact_text(self._without(decoded(value))) if self.repeats(text) else text)
        except (ValueError, RecursionError):
            # Nested too deeply to search.
            return None

    def _without(self, value: JSONValue) -> JSONValue:
        if isinstance(value, Members):
            return Members((name, self._without(item)) for name, item in value)
        if isinstance(value, list):
            return [self._without(item) for item in value]
        return HIDDEN if isinstance(value, str) and not isinstance(value, Hidden) and value in self.secrets else value


# Common values: hiding every `true` and every port would hide values that are not secret.
_PLAIN: Final = pattern(r"-?[0-9]{0,5}|.|true|false|none|null")
# The parts of an address or a sentence between these characters may be secrets.
_BARE: Final = pattern(r"""[^\s"'`\[\](){},;:.=]+""")
_CLOSED: Final = pattern(r'"(?:[^"\\]|\\(?s:.))*+"')
# An unterminated string extends to the end, so that the search does not restart at each quote.
_WORD: Final = pattern(r"""[^\s"'`\[\](){},;:.=]+|"(?:[^"\\]|\\(?s:.))*+(?:"|\\?\Z)""")


class StateSecrets(NamedTuple):
    """The sensitive strings of a state, and the `id()` of each object that has secrets without marks."""

    strings: frozenset[str]
    holders: frozenset[int]


def secrets_of(snapshot: Snapshot) -> StateSecrets:
    """Return the sensitive strings of a state: in attributes, in outputs, and the results of random resources."""
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
    """Return the sensitive strings of a state that cannot be loaded: addresses in its findings may contain them."""
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
    """Return the top-level attributes of sensitive paths; None for all, if a path cannot be read."""
    if not isinstance(paths, Raw):
        return frozenset()
    try:
        return frozenset(path[0]["value"] for path in msgspec.json.decode(paths) or ())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, LookupError, TypeError):
        return None


def _spelled(found: Set[str]) -> frozenset[str]:
    """Return the strings that are long enough to be a secret, also in the form of addresses."""
    secrets = {text for text in found if not _PLAIN.fullmatch(text)}
    odd = [text for text in secrets if not text.isalnum()]
    # In the form of addresses, and of JSON pointers.
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
    """Return whether a text, such as an address, equals a secret or contains one as a word or a quoted string."""
    return text in secrets or any(
        word in secrets or (word[:1] == '"' and word[1:-1] in secrets) for word in secret_words(text)
    )


def _strings_of_all(obj: ResourceInstanceObject) -> Iterator[str]:
    if obj.attributes is None:
        yield from (obj.attributes_flat or {}).values()
        return
    # Numbers are settings of the resource, as are these strings, which many other objects have.
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


# Findings of a rule often share their fix.
_KEPT: Final = 4096


class StoredCommand(Struct, frozen=True):
    """A command in a fix."""

    command: str
    arguments: tuple[str, ...] = ()


_PARTS: Final = msgspec.json.Decoder(tuple[str | StoredCommand, ...])


def finding_rows(state_id: str, data: bytes, findings: Sequence[Finding], masking: Masking) -> list[FindingRow]:
    """Return the rows of the findings about a state, in order; `data` is its plain content."""
    places = finding_positions(data, findings) if findings else {}
    return [
        FindingRow(
            state_id,
            number,
            one.code,
            one.severity.value,
            _stored(masking.address(one.address)),
            _stored(masking.pointer(one.pointer)),
            _stored(masking.prose(one.summary)),
            _stored(masking.prose(one.detail)),
            _stored_fix(one.fix, masking),
            _stored(masking.prose(one.fix.snippet)),
            *(places.get(one.pointer) or (None, None)),
        )
        for number, one in enumerate(findings)
    ]


def fix_of(parts: str | None, snippet: str) -> Fix:
    """Return the fix in the columns `fix` and `snippet`. Raises msgspec.DecodeError for other JSON."""
    return NO_FIX if parts is None and not snippet else _fix_of(parts or "[]", snippet)


@lru_cache(maxsize=_KEPT)
def _fix_of(parts: str, snippet: str) -> Fix:
    advice = [part if isinstance(part, str) else Command(part.command, part.arguments) for part in _PARTS.decode(parts)]
    return Fix(tuple(advice), snippet)


def _stored(text: str) -> str:
    """Escape unpaired surrogates, which a database cannot store, as `\\ud800`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _stored_fix(fix: Fix, masking: Masking) -> str | None:
    if not fix.advice:
        return None
    parts = [
        _stored(masking.prose(part))
        if isinstance(part, str)
        else StoredCommand(part.name, tuple([_stored(masking.address(each)) for each in part.arguments]))
        for part in fix.advice
    ]
    return msgspec.json.encode(parts).decode()
