"""Converts international domain names as Go's golang.org/x/net/idna does (its Lookup profile).

This is nontransitional UTS #46 with STD3 rules and hyphen, joiner and bidi checks, but without checks of length and
empty labels. The tables come from the package `idna`, whose own checks follow IDNA 2008 and are stricter; it is
imported only if a name needs it. Go's tables are from Unicode 15.
"""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from typing import Final

from statefmt.golang import quote
from statefmt.text import pattern

_MOST: Final = 1024  # longer than any real name; bounds algorithms that are not linear
_PUNYCODE_PREFIX: Final = "xn--"
_FORBIDDEN_ASCII = pattern(r"[^a-z0-9.-]")
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})

# Invalid in the table of Unicode 15, valid in later tables.
_NOT_YET_VALID = pattern(
    "[\u04c0\u10a0-\u10c5\u115f\u1160\u17b4\u17b5\u1806\u180e\u2061-\u2063\u206a-\u206f\u2132\u2183\u2260\u226e"
    "\u226f\u3164\uffa0\U0001d173-\U0001d17a\U0002f868\U0002f874\U0002f91f\U0002f95f\U0002f9bf]"
)
_MAPPED_OTHERWISE: Final = {"\u1e9e": "ss"}  # LATIN CAPITAL LETTER SHARP S; later tables map it to the lowercase letter


class DomainNameError(ValueError):
    """An invalid domain name; the message is from Go's package."""


def to_ascii(name: str) -> str:
    """Convert `name` to lower case and punycode, as in DNS. Raises DomainNameError. Source: Profile.ToASCII."""
    return ".".join([
        label if label.isascii() else _PUNYCODE_PREFIX + label.encode("punycode").decode("ascii")
        for label in _labels(name)
    ])  # fmt: skip


def to_unicode(name: str) -> str:
    """Convert `name` to lower case and decode punycode. Raises DomainNameError. Source: Profile.ToUnicode."""
    return ".".join(_labels(name))


def decode_punycode(label: str) -> str:
    """Decode a label that starts with `xn--`. Raises DomainNameError."""
    encoded = label.removeprefix(_PUNYCODE_PREFIX)
    if encoded.startswith("-") and "-" not in encoded[1:]:
        raise _invalid(encoded)
    try:
        return encoded.encode("ascii").decode("punycode")
    except UnicodeError:
        raise _invalid(encoded) from None


def _labels(name: str) -> list[str]:
    """Split `name` into labels, and map, decode and check them. Source: Profile.process."""
    if len(name) > _MOST:
        raise _invalid(name)
    mapped = _map(name)
    right_to_left = _has_right_to_left(name)
    labels = mapped.split(".")
    for pos, label in enumerate(labels):
        if label.startswith(_PUNYCODE_PREFIX):
            labels[pos] = decode_punycode(label)
            _check_decoded(labels[pos])
            right_to_left = right_to_left or _has_right_to_left(labels[pos])
        _check_label(labels[pos])
    for label in labels if right_to_left else ():
        _check_direction(label, mapped)
    return labels


def _map(name: str) -> str:
    """Source: validateAndMap."""
    if name.isascii():
        mapped = name.lower()
        forbidden = _FORBIDDEN_ASCII.search(mapped)
        if forbidden:
            raise _disallowed(name[forbidden.start()])
        return mapped
    return unicodedata.normalize("NFC", "".join([_map_character(char) for char in name]))


def _map_character(char: str) -> str:
    import idna

    if char in _MAPPED_OTHERWISE:
        return _MAPPED_OTHERWISE[char]
    if _NOT_YET_VALID.match(char) or unicodedata.category(char) == "Cn":
        raise _disallowed(char)
    try:
        return idna.uts46_remap(char, std3_rules=True)
    except idna.IDNAError:
        raise _disallowed(char) from None


def _check_decoded(label: str) -> None:
    """Check that a decoded label needs no mapping. Source: validateFromPunycode."""
    with suppress(DomainNameError):
        if _map(label) == label:
            return
    raise _invalid(label)


def _check_label(label: str) -> None:
    """Check a label. Source: validateLabel, which checks for hyphens by byte position."""
    if not label:
        return
    octets = label.encode()
    if (
        (len(octets) > 4 and octets[2:4] == b"--")
        or "-" in (label[0], label[-1])
        or unicodedata.category(label[0]).startswith("M")
    ):
        raise _invalid(label)
    for pos, char in enumerate(label):
        if char in "\u200c\u200d" and not _joiner_allowed(label, pos):
            raise _invalid(label)


def _joiner_allowed(label: str, pos: int) -> bool:
    import idna

    try:
        return idna.valid_contextj(label, pos)
    except (ValueError, idna.IDNAError):
        return False


def _check_direction(label: str, name: str) -> None:
    import idna

    if not label:
        return
    try:
        idna.check_bidi(label, check_ltr=True)
    except idna.IDNAError:
        raise _invalid(name) from None


def _has_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text)


def _invalid(label: str) -> DomainNameError:
    return DomainNameError(f"idna: invalid label {quote(label)}")


def _disallowed(char: str) -> DomainNameError:
    return DomainNameError(f"idna: disallowed rune U+{ord(char):04X}")
