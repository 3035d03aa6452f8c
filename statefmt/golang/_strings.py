"""Encodes strings and matches member names as Go's `encoding/json` does."""

from __future__ import annotations

import re

from statefmt.text.pattern import pattern

_PLAIN = pattern(r"[ !#-%'-;=?-\[\]-\x7f]*")
_SPECIAL = pattern('[\x00-\x1f"&<>\\\\\u2028\u2029\ud800-\udfff]')

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    # Go has no lone surrogates: its JSON decoder replaces them by U+FFFD.
    return _SHORT.get(char) or ("\ufffd" if "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}")


def encode_string(text: str) -> bytes:
    """Encode `text` as a JSON string in UTF-8, escaped as Go 1.22 and later do.

    `<`, `>`, `&`, U+2028, U+2029 and control characters are escaped (`\\b`, `\\f`, `\\n`, `\\r` and `\\t` in
    their short form, DEL not at all); a lone surrogate becomes U+FFFD. Never raises.
    """
    if _PLAIN.fullmatch(text) is not None:
        return b'"%b"' % text.encode("ascii")
    return b'"%b"' % _SPECIAL.sub(_escaped, text).encode("utf-8")


def fold_name(name: str) -> str:
    """Return the member of a Go struct that a name in a JSON object means: names match without case.

    The simple folding of Unicode adds two characters: the long s (U+017F) is an s, and the sign for kelvin (U+212A) a
    k. The names of members in Go are in lower case here.
    """
    return name.lower().replace("\u017f", "s")
