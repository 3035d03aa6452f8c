"""Maps of instance keys as people write them: `0=a,1=b`.

A whole number is a key of `count`, anything else one of `for_each`; in quotes, escaped as in addresses, a number and
whatever has a comma in it is one of `for_each`, too. Nothing at all is no key: `=a` gives the only instance a key, and
`a=` takes it away. Brackets around a key, as addresses have them, do no harm.

OpenTofu puts every string of a configuration or an address into Unicode normal form C, but takes the keys in a state as
they are. So an old key is kept as given and looked up by `keys_among`; a new one is normalised.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from statefmt.golang.normalize import nfc
from statefmt.model.addrs import (
    NO_KEY,
    InstanceKey,
    IntKey,
    StringKey,
)
from statefmt.model.addrs.literals import quoted_literal
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.redaction.path_text import parse_path
from statefmt.text.pattern import pattern

# Words with spaces between them, but none at the end.
_PLAIN: Final = r'(?:[^",=\[\]\s]++(?:[^\S\n]++(?=[^",=\[\]\s]))?+)*+'
_KEY: Final = rf'\s*+(\[?)(?:("(?:[^"\\]|\\.)*+")|({_PLAIN}))(\]?)\s*+'
_PAIR: Final = pattern(f"{_KEY}={_KEY}(?:,|$)", re.DOTALL)
_NUMBER: Final = pattern(r"0|-?[1-9][0-9]{0,18}")
_LIMIT: Final = 2**63

KeyMap: TypeAlias = Mapping[InstanceKey, InstanceKey]


def parse_key_map(texts: Iterable[str]) -> KeyMap:
    """The pairs in some texts `OLD=NEW,OLD=NEW`, keys as given; `keys_among` finds the old ones.

    Raises SurgeryError for what is no pair, and for an old key that repeats.
    """
    found: dict[InstanceKey, InstanceKey] = {}
    for text in texts:
        for old, new in _pairs(text):
            if old in found:
                raise SurgeryError(f"{text!r} maps {key_text(old)} a second time")
            found[old] = new
    if not found:
        raise SurgeryError("a map without keys; write OLD=NEW,OLD=NEW")
    return found


def parse_key_lines(text: str) -> KeyMap:
    """The same from a file: a pair, or several, a line. Empty lines and those that start with # say nothing."""
    lines = (line.strip() for line in text.splitlines())
    return parse_key_map(line for line in lines if line and not line.startswith("#"))


def keys_among(keys: Mapping[InstanceKey, InstanceKey], there: Collection[InstanceKey]) -> KeyMap:
    """A parsed map with the old keys as they are `there`, and the new ones in Unicode normal form C.

    An old key that is not there, but equals one that is up to normal form, means that one. Raises SurgeryError where it
    equals several.
    """
    found: dict[InstanceKey, InstanceKey] = {}
    for old, new in keys.items():
        same = [old] if old in there else [key for key in there if normal_key(key) == normal_key(old)] or [old]
        if len(same) > 1:
            names = ", ".join(ascii(str(key)) for key in same)
            raise SurgeryError(
                f"{key_text(old)} could be each of {names}, which differ in their Unicode normal form only; give one "
                "of them character for character"
            )
        if same[0] in found:
            raise SurgeryError(f"the map has {key_text(same[0])} twice, in different Unicode normal forms")
        found[same[0]] = normal_key(new)
    return found


def normal_key(key: InstanceKey) -> InstanceKey:
    """A key in Unicode normal form C, as OpenTofu reads it in an address."""
    return StringKey(nfc(key.value)) if isinstance(key, StringKey) else key


def normalised_note(given: Sequence[str]) -> str:
    """What to say of keys or addresses that were given in another form than they are written."""
    return (
        "OpenTofu puts keys into Unicode normal form C when it reads them, and so does statetool. Given in another "
        f"form, and written in this one: {', '.join(map(ascii, given))}"
    )


def key_text(key: InstanceKey) -> str:
    """A key as addresses have it, for messages."""
    return str(key) or "no key"


def _pairs(text: str) -> Iterator[tuple[InstanceKey, InstanceKey]]:
    position = 0
    while position < len(text):
        match = _PAIR.match(text, position)
        if match is None:
            raise SurgeryError(
                f"{text[position:]!r} is no pair OLD=NEW of keys; a key with a comma, an equals sign, a bracket "
                'or a quote in it needs quotes: 0="a,b"'
            )
        yield _key(text, *match.groups()[:4]), _key(text, *match.groups()[4:])
        position = match.end()


def _key(text: str, opening: str, quoted: str | None, plain: str | None, closing: str) -> InstanceKey:
    if bool(opening) is not bool(closing) or (opening and not quoted and not plain):
        raise SurgeryError(f"{text!r} has a bracket too many, or too few")
    if quoted is not None:
        try:
            parse_path(f"[{quoted}]")
        except SelectionError as error:
            raise SurgeryError(f"{quoted} is no key: {error.__cause__ or error}") from error
        return StringKey(quoted_literal(quoted[1:-1], 1, []))
    plain = plain or ""
    if _NUMBER.fullmatch(plain) and -_LIMIT <= int(plain) < _LIMIT:
        return IntKey(int(plain))
    return StringKey(plain) if plain else NO_KEY
