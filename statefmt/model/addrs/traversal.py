"""Parses HCL traversals into steps, the first stage of every address parser in this package.

Source: HCL `hclsyntax/parser_traversal.go` (ParseTraversalAbs) and `hclsyntax/parser.go`
(parseQuotedStringLiteral, recover).
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from statefmt.golang.normalize import nfc
from statefmt.model.addrs._lexical_problems import lexical_problems
from statefmt.model.addrs._scanner import (
    CLOSE_QUOTE,
    END,
    IDENTIFIER,
    LITERAL,
    NUMBER,
    OPEN_QUOTE,
    STRING,
    TEMPLATE,
    TEMPLATE_END,
    Token,
    scan,
)
from statefmt.model.addrs.instance_key import IntKey, StringKey
from statefmt.model.addrs.literals import quoted_literal, whole_number
from statefmt.model.errors import AddressError, AddressProblem


class Attr(msgspec.Struct, frozen=True, gc=False):
    """The first name of a traversal, or a name after a dot. `column` (from 1) is its start, dot included."""

    name: str
    column: int


class Index(msgspec.Struct, frozen=True, gc=False):
    """A key in brackets. `key` is None for a number that does not fit into an IntKey."""

    key: IntKey | StringKey | None
    column: int


Step: TypeAlias = Attr | Index
Steps: TypeAlias = tuple[Step, ...]

_BRACKET_KINDS: Final = frozenset({NUMBER, STRING, OPEN_QUOTE})
_STRING_SUMMARY: Final = "Invalid string literal"


def parse_traversal(text: str) -> Steps:
    """Parse `text` into at least one step; the first is an Attr.

    Raises AddressError with all errors of HCL's scanner and parser.
    """
    tokens = scan(text)
    parser = _Parser(text, tokens)
    steps = parser.traversal()
    problems = lexical_problems(text, tokens) + parser.problems
    if problems:
        raise AddressError(text, problems)
    return tuple(steps)


class _Parser:
    """A parser that stops after an error at the same token as HCL's."""

    __slots__ = ("_next", "_text", "_tokens", "problems")

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._next = 0
        self.problems: list[AddressProblem] = []

    def traversal(self) -> list[Step]:
        text = self._text
        steps: list[Step] = []
        kind, start, end = self._read()
        if kind != IDENTIFIER:
            self._report(start, "Variable name required", "Must begin with a variable name.")
            return steps
        steps.append(Attr(text[start:end], start + 1))
        while not self.problems:
            kind, begin, _ = self._read()
            if kind == ".":
                kind, start, end = self._read()
                if kind != IDENTIFIER:
                    self._report(start, "Attribute name required", _NO_NAME.get(kind, _NO_NAME[""]))
                else:
                    steps.append(Attr(text[start:end], begin + 1))
            elif kind == "[":
                steps.append(Index(self._key(), begin + 1))
            elif kind == END:
                break
            else:
                self._report(begin, "Invalid character", "Expected an attribute access or an index operator.")
        return steps

    def _key(self) -> IntKey | StringKey | None:
        """Read the key between brackets and the closing bracket."""
        kind, start, end = self._read()
        key: IntKey | StringKey | None = None
        if kind == STRING:
            key = StringKey(nfc(self._text[start + 1 : end - 1]))
        elif kind == NUMBER:
            key = self._number(start, end)
        elif kind == OPEN_QUOTE:
            key = StringKey(nfc(self._string()))
        elif kind == "*":
            self._report(start, "Attribute name required", "Splat expressions ([*]) may not be used here.")
        else:
            self._report(
                start,
                "Index value required",
                "Index brackets must contain either a literal number or a literal string.",
            )
        if kind in _BRACKET_KINDS:
            kind, start, _ = self._read()
            if kind != "]":
                self._report(start, "Unclosed index brackets", "Index key must be followed by a closing bracket.")
        return key

    def _number(self, start: int, end: int) -> IntKey | None:
        try:
            value = whole_number(self._text[start:end])
        except ValueError:
            self._report(start, "Invalid number literal", "Failed to recognize the value of this number literal.")
            return None
        return None if value is None else IntKey(value)

    def _string(self) -> str:
        """Read a quoted string after its opening quote; the result is not yet in NFC."""
        parts: list[str] = []
        while True:
            kind, start, end = self._read()
            if kind == LITERAL:
                parts.append(quoted_literal(self._text[start:end], start + 1, self.problems))
            elif kind == CLOSE_QUOTE:
                break
            elif kind == TEMPLATE:
                sign = self._text[start]
                self._report(
                    start,
                    _STRING_SUMMARY,
                    f'Template sequences are not allowed in this string. To include a literal "{sign}", '
                    f'double it (as "{sign}{sign}") to escape it.',
                )
                self._skip_to(TEMPLATE_END, nesting=TEMPLATE)
            elif kind == END:
                self._report(
                    start,
                    "Unterminated string literal",
                    "Unable to find the closing quote mark before the end of the file.",
                )
                break
            else:
                self._report(start, _STRING_SUMMARY, "This item is not valid in a string literal.")
                self._skip_to(CLOSE_QUOTE, nesting=OPEN_QUOTE)
                break
        return "".join(parts)

    def _skip_to(self, closing: str, *, nesting: str) -> None:
        depth = 1
        while depth:
            kind, _, _ = self._read()
            if kind == closing:
                depth -= 1
            elif kind == nesting:
                depth += 1
            elif kind == END:
                return

    def _read(self) -> Token:
        """Return the next token; at the end, always END."""
        pos = self._next
        tokens = self._tokens
        if pos >= len(tokens):
            return tokens[-1]
        self._next = pos + 1
        return tokens[pos]

    def _report(self, pos: int, summary: str, detail: str) -> None:
        self.problems.append(AddressProblem(pos + 1, summary, detail))


_NO_NAME: Final = {"*": "Splat expressions (.*) may not be used here.", "": "Dot must be followed by attribute name."}
