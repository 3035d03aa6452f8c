"""Scans the HCL tokens that can occur in a traversal.

Source: HCL `hclsyntax/scan_tokens.rl`. Every string can be scanned, in linear time. White space, newlines and
comments separate tokens but are not tokens themselves, since traversals are read in HCL's ignore-newlines mode.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from statefmt.text.pattern import pattern

# Kind, start and end. The kind of an operator or punctuation token is the token itself.
Token: TypeAlias = tuple[str, int, int]

IDENTIFIER: Final = "identifier"
NUMBER: Final = "number"
STRING: Final = "string"  # a complete quoted string without escapes, with its quotes: a fast path for most keys
OPEN_QUOTE: Final = "open quote"
CLOSE_QUOTE: Final = "close quote"
LITERAL: Final = "literal"  # a part of a quoted string, with unresolved escapes
TEMPLATE: Final = "template"  # ${ or %{
TEMPLATE_END: Final = "template end"
QUOTED_NEWLINE: Final = "quoted newline"
BAD_ENCODING: Final = "bad encoding"
INVALID: Final = "invalid"
END: Final = "end"

_SKIPPED: Final = "skipped"
_BLOCK_COMMENT: Final = "block_comment"
_HEREDOC: Final = "heredoc"

_MAIN = pattern(
    r"""
      (?P<identifier>[A-Za-z_][A-Za-z0-9_-]*+)
    | (?P<string>"[^"\\$%\r\n]*+")
    | (?P<line_comment>(?:\#|//)[^\n]*+)
    | (?P<block_comment>/\*)
    | (?P<heredoc><<-?[^\W\d][\w-]*+\r?\n)
    | (?P<operator>==|!=|>=|<=|&&|\|\||::|\.\.\.|=>)
    | (?P<single>[].\[(),*/%+\-=<>!?:&|^;`'])
    | (?P<nesting>["{}]|~\}?)
    | (?P<number>[0-9](?:\.*+(?:[eE][+-]?+)?+[0-9])*+)
    | (?P<space>[ \t\n]++|\r\n)
    """,
    re.VERBOSE,
)
_QUOTED = pattern(
    r"""
      (?P<literal>(?:[^"\\$%\r\n]++|\\[^\r\n])++|\$\$\{~?|%%\{~?|[$%](?=[^{]))
    | (?P<template>[$%]\{~?)
    | (?P<close>")
    | (?P<newline>[\r\n]++)
    """,
    re.VERBOSE,
)
_SURROGATE = pattern("[\ud800-\udfff]")
_BYTE_ORDER_MARK: Final = "\ufeff"

# HCL uses Unicode's ID_Start and ID_Continue; Python uses the XID forms, which lack these characters.
_ID_ONLY = frozenset(
    "\u037a\u0e33\u0eb3\u309b\u309c\ufc5e\ufc5f\ufc60\ufc61\ufc62\ufc63\ufdfa\ufdfb"
    "\ufe70\ufe72\ufe74\ufe76\ufe78\ufe7a\ufe7c\ufe7e\uff9e\uff9f"
)


def scan(text: str) -> list[Token]:
    """Return the tokens of `text`, ending with END. A lone surrogate yields a BAD_ENCODING token and nothing else."""
    if not text.isascii() and (broken := _SURROGATE.search(text)):
        return [(BAD_ENCODING, broken.start(), broken.end()), (END, len(text), len(text))]
    return _Scanner(text).run()


def is_identifier(text: str) -> bool:
    """Return whether `text` is an HCL identifier. Source: ValidIdentifier."""
    return bool(text) and _identifier_end(text, 0) == len(text)


class _Scanner:
    """The state of one scan: the position, and the nesting of quoted strings and template sequences."""

    __slots__ = ("_braces", "_in_string", "_pos", "_templates", "_text", "_tokens", "_unclosed_comment")

    def __init__(self, text: str) -> None:
        self._text = text
        self._pos = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
        self._tokens: list[Token] = []
        self._in_string = False
        self._braces = 0
        self._templates: list[int] = []  # the brace level at which each open template sequence ends
        self._unclosed_comment = False

    def run(self) -> list[Token]:
        text, tokens, size = self._text, self._tokens, len(self._text)
        while self._pos < size:
            start = self._pos
            kind = self._next_quoted() if self._in_string else self._next()
            if kind is not _SKIPPED:
                tokens.append((kind, start, self._pos))
        tokens.append((END, len(text), len(text)))
        return tokens

    def _next(self) -> str:
        """Read one token outside quotes and return its kind."""
        text, start = self._text, self._pos
        match = _MAIN.match(text, start)
        if match is None:
            self._pos = _identifier_end(text, start)
            if self._pos > start:
                return IDENTIFIER
            self._pos = start + 1
            return INVALID
        self._pos = end = match.end()
        kind = match.lastgroup
        if kind == IDENTIFIER:
            if end < len(text) and text[end] > "\x7f":
                self._pos = _identifier_end(text, end, inside=True)
            return IDENTIFIER
        if kind == "single" or kind == "operator":
            return match.group()
        if kind == STRING:
            return STRING
        if kind == NUMBER:
            return NUMBER
        if kind == "nesting":
            return self._nest(match.group())
        if kind == _HEREDOC:
            # A traversal cannot contain a heredoc, so its content does not matter.
            self._pos = len(text)
            return _HEREDOC
        if kind == _BLOCK_COMMENT:
            return self._block_comment()
        return _SKIPPED

    def _nest(self, text: str) -> str:
        """Track the nesting of strings, braces and template sequences; return the kind of the token."""
        if text == '"':
            self._in_string = True
            return OPEN_QUOTE
        if text == "{":
            self._braces += 1
            return text
        if text == "~":
            return text
        ends_template = bool(self._templates) and self._templates[-1] == self._braces
        self._braces -= 1
        if ends_template:
            self._templates.pop()
            self._in_string = True
        return TEMPLATE_END if ends_template or text == "~}" else text

    def _block_comment(self) -> str:
        if not self._unclosed_comment:
            end = self._text.find("*/", self._pos)
            if end >= 0:
                self._pos = end + 2
                return _SKIPPED
            self._unclosed_comment = True  # no later comment can be closed either
        self._pos -= 1
        return "/"

    def _next_quoted(self) -> str:
        """Read one token inside quotes and return its kind."""
        match = _QUOTED.match(self._text, self._pos)
        if match is None:  # a backslash before a newline, or the last character a backslash, '$' or '%'
            self._pos += 1
            return INVALID
        self._pos = match.end()
        kind = match.lastgroup
        if kind == LITERAL:
            return LITERAL
        if kind == "close":
            self._in_string = False
            return CLOSE_QUOTE
        if kind == TEMPLATE:
            self._in_string = False
            self._braces += 1
            self._templates.append(self._braces)
            return TEMPLATE
        return QUOTED_NEWLINE


def _identifier_end(text: str, pos: int, *, inside: bool = False) -> int:
    """Return the end of the identifier that starts at `pos`, or continues there if `inside`; `pos` if there is none."""
    size = len(text)
    if not inside:
        if not (text[pos].isidentifier() or text[pos] in _ID_ONLY):
            return pos
        pos += 1
    while pos < size:
        char = text[pos]
        if not (char == "-" or f"_{char}".isidentifier() or char in _ID_ONLY):
            break
        pos += 1
    return pos
