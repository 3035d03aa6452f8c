r"""Matches strings against wildcards: `*` matches any string, `?` any character, `\*` and `\?` match literally."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from statefmt.text.pattern import pattern

TextTest: TypeAlias = Callable[[str], bool]

_SPECIAL: Final = pattern(r"[\[*?]")
_PIECE: Final = pattern(r"\\([*?])|([*?])|((?:\\(?![*?])|[^\\*?])+)")
# A backslash escapes the next character, as in a quoted string.
_QUOTED_PIECE: Final = pattern(r"\\([*?])|([*?])|((?:\\[^*?]|[^\\*?])+)")


def has_wildcards(text: str) -> bool:
    """Return whether `text` contains `*` or `?`, escaped or not."""
    return "*" in text or "?" in text


def wildcard_test(pattern: str) -> TextTest:
    """Return a test for whether a whole string matches the pattern. Matching is case-sensitive."""
    return _test([_piece(match) for match in _PIECE.finditer(pattern)])


def quoted_wildcard_test(pattern: str, resolve: Callable[[str, int], str]) -> TextTest:
    """Like wildcard_test(), for the inside of a quoted string: `resolve` unescapes a part, given its position, too."""
    return _test([_piece(match, resolve) for match in _QUOTED_PIECE.finditer(pattern)])


def asterisk_test(pattern: str) -> TextTest:
    """Like wildcard_test(), but only `*` is special: addresses contain brackets, question marks and backslashes."""
    return _test(["*".join(map(_literal, pattern.split("*")))])


def _piece(match: re.Match[str], resolve: Callable[[str, int], str] | None = None) -> str:
    """Translate a part of a pattern to fnmatch syntax, which matches in linear time."""
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
