r"""Text with wildcards: `*` is any text, also none, `?` one character, `\*` and `\?` those characters themselves."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from statefmt.text.pattern import pattern

TextTest: TypeAlias = Callable[[str], bool]

_SPECIAL: Final = pattern(r"[\[*?]")
_PIECE: Final = pattern(r"\\([*?])|([*?])|((?:\\(?![*?])|[^\\*?])+)")
# A backslash takes the next character with it, as in a quoted string.
_QUOTED_PIECE: Final = pattern(r"\\([*?])|([*?])|((?:\\[^*?]|[^\\*?])+)")


def has_wildcards(text: str) -> bool:
    """Whether there is anything in it that may be a wildcard."""
    return "*" in text or "?" in text


def wildcard_test(pattern: str) -> TextTest:
    """The test whether a text is what the pattern says, in full and in its letter case."""
    return _test([_piece(match) for match in _PIECE.finditer(pattern)])


def quoted_wildcard_test(pattern: str, resolve: Callable[[str, int], str]) -> TextTest:
    """The same for the inside of a quoted string: `resolve` gives the text of an escaped part and of its place."""
    return _test([_piece(match, resolve) for match in _QUOTED_PIECE.finditer(pattern)])


def asterisk_test(pattern: str) -> TextTest:
    """The same where only `*` is special: brackets, question marks and backslashes are parts of addresses."""
    return _test(["*".join(map(_literal, pattern.split("*")))])


def _piece(match: re.Match[str], resolve: Callable[[str, int], str] | None = None) -> str:
    """A part of a pattern in the notation of fnmatch, which takes time in proportion to the text."""
    escaped, wildcard, plain = match.groups()
    if wildcard:
        return wildcard
    text = escaped or (resolve(plain, match.start()) if resolve else plain)
    return _literal(text)


def _literal(text: str) -> str:
    return _SPECIAL.sub(r"[\g<0>]", text)


def _test(pieces: list[str]) -> TextTest:
    expression = re.compile(fnmatch.translate("".join(pieces)))
    return lambda text: expression.match(text) is not None
