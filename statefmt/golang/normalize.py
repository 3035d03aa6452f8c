"""Normalizes Unicode as golang.org/x/text does, which cty applies to every string and attribute name."""

from __future__ import annotations

from functools import lru_cache

_MAX_NON_STARTERS = 30
_GRAPHEME_JOINER = "\u034f"

# Starters that can combine with the character before them; x/text counts them as combining marks.
_JOINING_STARTERS = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
) | frozenset(map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]))


def nfc(text: str) -> str:
    """Return `text` in normalization form C, in the "stream-safe" variant of golang.org/x/text.

    That variant inserts U+034F into runs of more than 30 combining marks. The Unicode version is Python's own,
    that of Go 1.26 is 15.0: results differ for characters that only one of them knows. Never raises.
    """
    if text.isascii():
        return text
    import unicodedata

    if len(text) > _MAX_NON_STARTERS:
        text = _stream_safe(text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def _stream_safe(text: str) -> str:
    counts = {char: _non_starters(char) for char in set(text)}
    if not any(leading for leading, _ in counts.values()):
        return text
    parts: list[str] = []
    run = 0
    for char in text:
        leading, trailing = counts[char]
        if run + leading > _MAX_NON_STARTERS:
            parts.append(_GRAPHEME_JOINER)
            run = 0
        run = run + leading if leading else trailing
        parts.append(char)
    return "".join(parts)


@lru_cache(maxsize=4096)
def _non_starters(char: str) -> tuple[int, int]:
    """Count the leading and the trailing marks of the full decomposition of `char`."""
    import unicodedata

    marks = [
        unicodedata.combining(part) != 0 or part in _JOINING_STARTERS for part in unicodedata.normalize("NFKD", char)
    ]
    leading = marks.index(False) if False in marks else len(marks)
    trailing = marks[::-1].index(False) if False in marks else len(marks)
    return leading, trailing
