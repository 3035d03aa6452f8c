"""Reports tokens that HCL never accepts, in addition to the errors of its parser.

Source: HCL `hclsyntax/token.go`, checkInvalidTokens, with its limits on repetition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from statefmt.model.addrs._scanner import BAD_ENCODING, INVALID, QUOTED_NEWLINE, Token
from statefmt.model.errors import AddressProblem

_MOST: Final = 100  # so that a megabyte of garbage does not yield a million problems

_BITWISE: Final = {
    "&": ' Did you mean boolean AND ("&&")?',
    "|": ' Did you mean boolean OR ("||")?',
    "~": ' Did you mean boolean NOT ("!")?',
    "^": "",
}
_QUOTING: Final = {
    "`": 'The "`" character is not valid. To create a multi-line string, use the "heredoc" syntax, like "<<EOT".',
    "'": 'Single quotes are not valid. Use double quotes (") to enclose strings.',
}
_SEMICOLON: Final = (
    'The ";" character is not valid. Use newlines to separate arguments and blocks, and commas to separate items '
    "in collection values."
)
_NEWLINE: Final = (
    "Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \\n "
    'escape to represent a newline character or use the "heredoc" multi-line template syntax.'
)
_CURLY_QUOTES: Final = (
    '"Curly quotes" are not valid here. These can sometimes be inadvertently introduced when sharing code via '
    'documents or discussion forums. It might help to replace the character with a "straight quote".'
)
_ENCODING: Final = "All input files must be UTF-8 encoded. Ensure that UTF-8 encoding is selected in your editor."
_KINDS: Final = frozenset({*_BITWISE, *_QUOTING, ";", QUOTED_NEWLINE, INVALID, BAD_ENCODING})


def lexical_problems(text: str, tokens: Iterable[Token]) -> list[AddressProblem]:
    """Return the problems of the tokens of `text` in order."""
    problems: list[AddressProblem] = []
    seen: Counter[str] = Counter()
    for kind, start, end in tokens:
        if kind in _KINDS and len(problems) < _MOST:
            problem = _problem(kind, text[start:end], seen)
            if problem is not None:
                problems.append(AddressProblem(start + 1, *problem))
    return problems


def _problem(kind: str, chars: str, seen: Counter[str]) -> tuple[str, str] | None:
    if kind in _BITWISE:
        seen["bitwise"] += 1
        if seen["bitwise"] > 4:
            return None
        return "Unsupported operator", f"Bitwise operators are not supported.{_BITWISE[kind]}"
    if kind in _QUOTING:
        seen[kind] += 1  # as in HCL, report only the opening quotes of the first two pairs
        return ("Invalid character", _QUOTING[kind]) if seen[kind] in (1, 3) else None
    if kind == ";":
        seen[kind] += 1
        return ("Invalid character", _SEMICOLON) if seen[kind] == 1 else None
    if kind == QUOTED_NEWLINE:
        return "Invalid multi-line string", _NEWLINE
    if kind == BAD_ENCODING:
        return "Invalid character encoding", _ENCODING
    return "Invalid character", _CURLY_QUOTES if chars in "“”" else "This character is not used within the language."
