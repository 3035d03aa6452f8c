"""Matches strings against what a user searches for, and tells from undecoded JSON where there can be no match."""

from __future__ import annotations

from typing import Final

from statefmt.text.pattern import pattern
from statefmt.text.regex import user_regex

# Characters that Go never escapes in JSON, that invalid UTF-8 cannot turn into, and that need no escape in a JSON
# string inside of a string.
_VERBATIM: Final = pattern('[^\x00-\x1f"\\\\<>&\u2028\u2029\ufffd]+')
_VERBATIM_ASCII: Final = pattern('[^\x00-\x1f"\\\\<>&\x7f-\U0010ffff]+')
# Escapes of any other character.
_OTHER_ESCAPE: Final = pattern(rb"\\(?:/|u(?!003[cCeE]|0026|202[89]))")


class Matcher:
    """A string or a regular expression to search for, in linear time."""

    def __init__(self, text: str, *, regex: bool = False, ignore_case: bool = False) -> None:
        """Raise ValueError, with the reason, for an invalid regular expression."""
        self._text = text
        self._ignore_case = ignore_case
        self._expression = None
        if regex or ignore_case:
            self._expression = user_regex(text, ignore_case=ignore_case, literal=not regex, lines=True)
        self._verbatim = b"" if regex else _longest_verbatim(text, ignore_case)

    def span(self, text: str) -> tuple[int, int] | None:
        """Return where the first match begins and ends, or None."""
        if self._expression is None:
            start = text.find(self._text)
            return None if start < 0 else (start, start + len(self._text))
        match = self._expression.search(text)
        return None if match is None else match.span()

    def may_match(self, raw: bytes) -> bool:
        """Return False only if no value in JSON text can match, however its characters are escaped."""
        if not self._verbatim:
            return True
        if self._ignore_case:
            # Some letters outside of ASCII equal one of ASCII: the Kelvin sign is a k.
            if not raw.isascii() or self._verbatim in raw.lower():
                return True
        elif self._verbatim in raw:
            return True
        return b"\\" in raw and _OTHER_ESCAPE.search(raw) is not None


def _longest_verbatim(text: str, ignore_case: bool) -> bytes:
    """Return the longest part of a string that JSON never escapes, in lower case if case is ignored."""
    parts: list[str] = (_VERBATIM_ASCII if ignore_case else _VERBATIM).findall(text)
    longest = max(parts, key=len, default="").encode()
    return longest.lower() if ignore_case else longest
