"""Splits strings into user-perceived characters: the columns of HCL and the characters of its functions.

Source: go-textseg v15 `grapheme_clusters.rl` (Unicode annex 29), as OpenTofu and Terraform use it.
"""

from __future__ import annotations

import re
from typing import Final

from statefmt.hcl.source._grapheme_properties import grapheme_property

# Patterns over the letters of `grapheme_property`, one letter per character.
_EXTENSION: Final = "(?:E|S|Z(?:XE*)?)*"
_HANGUL: Final = f"(?:L+(?:H?V+T*|JT*|H)?|HV*T*|V+T*|JT*|T+){_EXTENSION}"
_PICTURE: Final = f"XE*{_EXTENSION}"
_FLAG: Final = f"RR?{_EXTENSION}"
_JOINED: Final = "Z[ZES]*"
_OTHER: Final = "[OES][EZS]*"
_SEQUENCE: Final = f"{_HANGUL}|{_PICTURE}|{_FLAG}|{_JOINED}|{_OTHER}"
_CLUSTER: Final = re.compile(f"rn|P+(?:{_SEQUENCE})?|{_SEQUENCE}|.")


def count_graphemes(text: str) -> int:
    """Count the grapheme clusters of `text`."""
    if text.isascii():
        return len(text) - text.count("\r\n")
    return len(split_graphemes(text))


def split_graphemes(text: str) -> list[str]:
    """Split `text` into grapheme clusters."""
    if text.isascii() and "\r" not in text:
        return list(text)
    letters = "".join(map(grapheme_property, text))
    return [text[match.start() : match.end()] for match in _CLUSTER.finditer(letters)]
