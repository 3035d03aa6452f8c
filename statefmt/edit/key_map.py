"""Parses maps of instance keys (`0=a,1=b`), and gives instances their new keys.

A whole number is a `count` key, anything else a `for_each` key; quotes, with escapes as in addresses, make a `for_each`
key of a number or of a string with a comma. An empty side means no key: `=a` gives the only instance a key, `a=`
removes it. A key may be in brackets, as in addresses. A bare question mark is a placeholder, and refused.

OpenTofu normalises every string of a configuration or an address to Unicode normal form C, but not the keys in a state.
So an old key is kept as given and looked up by `keys_among`; a new key is normalised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias

from statefmt.analysis.selection.patterns import module_call
from statefmt.golang import nfc
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    InstanceKey,
    IntKey,
    ModuleInstance,
    StringKey,
)
from statefmt.model.addrs.traversal import quoted_literal
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.redaction.partial import parse_path
from statefmt.text import pattern

# Words separated by spaces, without trailing spaces.
_PLAIN: Final = r'(?:[^",=\[\]\s]++(?:[^\S\n]++(?=[^",=\[\]\s]))?+)*+'
_KEY: Final = rf'\s*+(\[?)(?:("(?:[^"\\]|\\.)*+")|({_PLAIN}))(\]?)\s*+'
_PAIR: Final = pattern(f"{_KEY}={_KEY}(?:,|$)", re.DOTALL)
WHOLE_NUMBER: Final = pattern(r"0|-?[1-9][0-9]{0,18}")
_LIMIT: Final = 2**63
_SIMPLE: Final = pattern(_PLAIN)
_PLACE: Final = "?"

# New keys by old ones.
KeyMap: TypeAlias = Mapping[InstanceKey, InstanceKey]


def parse_key_map(texts: Iterable[str]) -> KeyMap:
    """Parse strings `OLD=NEW,OLD=NEW`, with keys as given; `keys_among` looks up the old keys.

    Raises SurgeryError if a pair is invalid or an old key repeats.
    """
    found: dict[InstanceKey, InstanceKey] = {}
    for text in texts:
        for old, new in _pairs(text):
            if old in found:
                raise SurgeryError(f"{text!r} maps {key_text(old)} twice")
            found[old] = new
    if not found:
        raise SurgeryError("the key map is empty; write OLD=NEW,OLD=NEW")
    return found


def parse_key_lines(text: str) -> KeyMap:
    """Parse the content of a file with one or more pairs a line. Ignores empty lines and lines that start with #."""
    lines = (line.strip() for line in text.splitlines())
    return parse_key_map(line for line in lines if line and not line.startswith("#"))


def keys_among(keys: Mapping[InstanceKey, InstanceKey], there: Collection[InstanceKey]) -> KeyMap:
    """Return a parsed map with its old keys as in `there` and its new keys in Unicode normal form C.

    An old key that is not in `there` means the key with the same normal form. Raises SurgeryError if several keys have
    it, or if two old keys mean the same key.
    """
    found: dict[InstanceKey, InstanceKey] = {}
    by_form: dict[InstanceKey, list[InstanceKey]] = {}
    for key in there:
        by_form.setdefault(normal_key(key), []).append(key)
    for old, new in keys.items():
        same = [old] if old in there else by_form.get(normal_key(old), [old])
        if len(same) > 1:
            names = ", ".join(ascii(str(key)) for key in same)
            raise SurgeryError(
                f"{key_text(old)} is ambiguous: {names} differ only in their Unicode normal form; give one of them "
                "character for character"
            )
        if same[0] in found:
            raise SurgeryError(f"the key map has {key_text(same[0])} twice, in different Unicode normal forms")
        found[same[0]] = normal_key(new)
    return found


def map_text(keys: Mapping[InstanceKey, InstanceKey | None]) -> str:
    """Format a map for `parse_key_map`; a question mark stands for an unknown new key."""
    return ",".join(f"{_text(old)}={_PLACE if new is None else _text(new)}" for old, new in keys.items())


def normal_key(key: InstanceKey) -> InstanceKey:
    """Normalise a key to Unicode normal form C, as OpenTofu does when it parses an address."""
    return StringKey(nfc(key.value)) if isinstance(key, StringKey) else key


def normalised_note(given: Sequence[str]) -> str:
    """Return the note about keys or addresses that were normalised."""
    return (
        "keys are written in Unicode normal form C, as OpenTofu does. These were given in another form: "
        f"{', '.join(map(ascii, given))}"
    )


def key_text(key: InstanceKey) -> str:
    """Format a key as in an address, for messages."""
    return str(key) or "no key"


def _text(key: InstanceKey) -> str:
    if not isinstance(key, StringKey):
        return str(key).strip("[]")
    simple = _SIMPLE.fullmatch(key.value) and not WHOLE_NUMBER.fullmatch(key.value) and key.value != _PLACE
    return key.value if key.value and simple and "\\" not in key.value else str(key)[1:-1]


def _pairs(text: str) -> Iterator[tuple[InstanceKey, InstanceKey]]:
    position = 0
    while position < len(text):
        match = _PAIR.match(text, position)
        if match is None:
            raise SurgeryError(
                f"{text[position:]!r} is not a pair of keys OLD=NEW; a key that contains a comma, an equals sign, a "
                'bracket or a quote needs quotes: 0="a,b"'
            )
        yield _key(text, *match.groups()[:4]), _key(text, *match.groups()[4:])
        position = match.end()


def _key(text: str, opening: str, quoted: str | None, plain: str | None, closing: str) -> InstanceKey:
    if bool(opening) is not bool(closing) or (opening and not quoted and not plain):
        raise SurgeryError(f"{text!r} has unbalanced brackets")
    if quoted is not None:
        try:
            parse_path(f"[{quoted}]")
        except SelectionError as error:
            raise SurgeryError(f"{quoted} is not a valid key: {error.__cause__ or error}") from error
        return StringKey(quoted_literal(quoted[1:-1], 1, []))
    plain = plain or ""
    if plain == _PLACE:
        raise SurgeryError(f"{text!r}: replace each ? by a key; a key that is a question mark needs quotes")
    if WHOLE_NUMBER.fullmatch(plain) and -_LIMIT <= int(plain) < _LIMIT:
        return IntKey(int(plain))
    return StringKey(plain) if plain else NO_KEY


# An instance of a resource or a module. Its block is the resource, or the module without its last key.
Keyed: TypeAlias = AbsResourceInstance | ModuleInstance
Repeatable: TypeAlias = AbsResource | ModuleInstance
NewKeys: TypeAlias = Mapping[AbsResourceInstance, InstanceKey] | Mapping[Keyed, InstanceKey]


def block_of(one: Keyed) -> Repeatable:
    """Return the block of an instance."""
    return module_call(one) if isinstance(one, ModuleInstance) else one.containing_resource()


def key_of(one: Keyed) -> InstanceKey:
    """Return the key of an instance; the last key of a module."""
    return one.steps[-1].key if isinstance(one, ModuleInstance) else one.key


def by_block(found: Iterable[Keyed]) -> dict[Repeatable, dict[InstanceKey, Keyed]]:
    """Group instances by block and key."""
    blocks: dict[Repeatable, dict[InstanceKey, Keyed]] = {}
    for one in found:
        blocks.setdefault(block_of(one), {})[key_of(one)] = one
    return blocks


def renamed(keys: Mapping[ModuleInstance, InstanceKey]) -> Callable[[ModuleInstance], ModuleInstance]:
    """Return a function that maps module addresses to new addresses, given the new keys of modules."""

    @cache
    def at(module: ModuleInstance) -> ModuleInstance:
        if module.is_root:
            return module
        last = module.steps[-1]
        return at(module.parent()).child(last.name, keys.get(module, last.key))

    return at
