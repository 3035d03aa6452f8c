"""Tells user-perceived characters apart, which are the columns of HCL and the characters of its functions."""

from __future__ import annotations

import unicodedata
from typing import Final

_JOINER: Final = "\u200d"


def count_graphemes(text: str) -> int:
    """How many grapheme clusters `text` has, by the rules of Unicode's annex 29 that configurations can meet.

    A carriage return and a newline are one; marks, variation selectors and joiners belong to what is before them, and
    what follows a joiner does, too; flags are pairs; a syllable of Hangul in parts is one.
    """
    if text.isascii():
        return len(text) - text.count("\r\n")
    return len(split_graphemes(text))


def split_graphemes(text: str) -> list[str]:
    """The grapheme clusters of `text`."""
    if text.isascii() and "\r" not in text:
        return list(text)
    found: list[str] = []
    flags = 0
    before = ""
    for char in text:
        flag = "\U0001f1e6" <= char <= "\U0001f1ff"
        joined = (
            _extends(char)
            or before == _JOINER
            or (before == "\r" and char == "\n")
            or (flag and flags % 2 == 1)
            or (_is_hangul_part(char) and before != "" and _takes_part(before, char))
        )
        flags = flags + 1 if flag else 0
        if joined and found:
            found[-1] += char
        else:
            found.append(char)
        before = char
    return found


def _extends(char: str) -> bool:
    return (
        char == _JOINER
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\uff9e" <= char <= "\uff9f"
        or char == "\u200c"
    )


def _is_hangul_part(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\uac00" <= char <= "\ud7a3"


def _takes_part(before: str, char: str) -> bool:
    leading = "\u1100" <= before <= "\u115f"
    vowel = "\u1160" <= before <= "\u11a7"
    trailing = "\u11a8" <= before <= "\u11ff"
    whole = "\uac00" <= before <= "\ud7a3"
    open_syllable = whole and (ord(before) - 0xAC00) % 28 == 0
    if "\u1160" <= char <= "\u11a7":
        return leading or vowel or open_syllable
    if "\u11a8" <= char <= "\u11ff":
        return vowel or trailing or whole
    return leading
