"""Classifies characters by their role in grapheme clusters, one letter per class.

Source: Unicode 15 `GraphemeBreakProperty.txt` and `emoji-data.txt`; classes that follow from the general category are
not listed here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Characters that extend the cluster before them without being nonspacing or enclosing marks.
_EXTENDING: Final = re.compile(
    "[\u09be\u09d7\u0b3e\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u1b35\u200c\u302e\u302f"
    "\uff9e\uff9f\U0001133e\U00011357\U000114b0\U000114bd\U000115af\U00011930\U0001d165\U0001d16e-\U0001d172"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_SPACING: Final = re.compile("[\u0e33\u0eb3]")
# Spacing marks that do not join the cluster before them.
_APART: Final = re.compile(
    "[\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\u1a61\u1a63\u1a64"
    "\uaa7b\uaa7d\U00011720\U00011721]"
)
_PREPENDED: Final = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941"
    "\U00011a3a\U00011a84-\U00011a89\U00011d46\U00011f02]"
)
_CONTROL: Final = re.compile(
    "[\u2065\ufff0-\ufff8\ufffd\U000e0000\U000e0002-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]"
)
_PICTURES: Final = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705"
    "\u2708-\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767"
    "\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a"
    "\U0001f23c-\U0001f23f\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f"
    "\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001faff"
    "\U0001fc00-\U0001fffd]"
)
_LISTED: Final = (
    (_EXTENDING, "E"),
    (_SPACING, "S"),
    (_PREPENDED, "P"),
    (_CONTROL, "C"),
    (_PICTURES, "X"),
    (_APART, "O"),
)
_CATEGORIES: Final = {"Mn": "E", "Me": "E", "Mc": "S", "Cc": "C", "Cf": "C", "Zl": "C", "Zp": "C"}
_SINGLE: Final = {"\r": "r", "\n": "n", "\u200d": "Z"}
_FIRST_SYLLABLE: Final = 0xAC00
_ENDINGS: Final = 28


@lru_cache(maxsize=4096)
def grapheme_property(char: str) -> str:
    """Return the class letter of a character.

    Carriage return (r), newline (n), control (C), prepended (P), extending (E), spacing mark (S), joiner (Z), regional
    indicator (R), picture (X), parts of Hangul syllables (L, V, T; whole syllables without and with a final consonant:
    H, J), or any other (O).
    """
    if char in _SINGLE:
        return _SINGLE[char]
    for characters, letter in _LISTED:
        if characters.match(char):
            return letter
    if "\u1100" <= char <= "\ud7fb" and (hangul := _hangul(char)):
        return hangul
    if "\U0001f1e6" <= char <= "\U0001f1ff":
        return "R"
    return _CATEGORIES.get(unicodedata.category(char), "O")


def _hangul(char: str) -> str:
    if char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if char <= "\u11ff" or char >= "\ud7cb":
        return "T"
    if "\uac00" <= char <= "\ud7a3":
        return "J" if (ord(char) - _FIRST_SYLLABLE) % _ENDINGS else "H"
    return ""
