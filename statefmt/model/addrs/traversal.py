"""Scans and parses HCL traversals into steps, the first stage of every address parser in this package.

Every string can be scanned, in linear time. White space, newlines and comments separate tokens but are not tokens
themselves, since traversals are read in HCL's ignore-newlines mode. Sources: HCL `hclsyntax/scan_tokens.rl`;
`token.go` (checkInvalidTokens, with its limits on repetition); `parser_traversal.go` (ParseTraversalAbs); `parser.go`
(parseQuotedStringLiteral, recover).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, TypeAlias

import msgspec

from statefmt.golang import nfc, quote
from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.errors import AddressError, AddressProblem
from statefmt.text import pattern

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
            # A traversal cannot contain a heredoc, so the content of a heredoc does not matter.
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
            detail = "Index brackets must contain either a literal number or a literal string."
            self._report(start, "Index value required", detail)
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
                detail = (
                    f'Template sequences are not allowed in this string. To include a literal "{sign}", '
                    f'double it (as "{sign}{sign}") to escape it.'
                )
                self._report(start, _STRING_SUMMARY, detail)
                self._skip_to(TEMPLATE_END, nesting=TEMPLATE)
            elif kind == END:
                detail = "Unable to find the closing quote mark before the end of the file."
                self._report(start, "Unterminated string literal", detail)
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


_MOST: Final = 100  # so that a megabyte of garbage does not yield a million problems

_BITWISE: Final = {
    "&": ' Did you mean boolean AND ("&&")?', "|": ' Did you mean boolean OR ("||")?',
    "~": ' Did you mean boolean NOT ("!")?', "^": "",
}  # fmt: skip
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


# Sources of literals: HCL `hclsyntax/parser.go` (numberLitValue, ParseStringLiteralToken), `scan_string_lit.rl` there;
# go-cty, which reads numbers as 512-bit floats and normalizes strings to NFC.

_LIMIT: Final = 2**63
_NUMBER = pattern(r"([0-9]++)(?:\.([0-9]*+))?(?:[eE]([+-]?[0-9]++))?")
_PRECISION: Final = 512
_DIGITS_KEPT: Final = 1000  # more than 512 bits can distinguish, few enough for Python to convert fast

_ESCAPE = pattern(r"\\u[0-9a-fA-F]{0,4}|\\U[0-9a-fA-F]{0,8}|\\.|\$\$\{|%%\{", re.DOTALL)
_SIMPLE: Final = {"\\n": "\n", "\\r": "\r", "\\t": "\t", '\\"': '"', "\\\\": "\\", "$${": "${", "%%{": "%{"}
_BAD_ESCAPE: Final = "Invalid escape sequence"


def whole_number(literal: str) -> int | None:
    """Return the value of a number literal if it is a 64-bit whole number, else None.

    Raises ValueError for a literal that is not a number, such as `1.2.3`.
    """
    if len(literal) < 19 and literal.isdecimal():
        return int(literal)
    match = _NUMBER.fullmatch(literal)
    if match is None:
        raise ValueError(literal)
    whole, fraction, exponent = match[1], match[2] or "", match[3] or "0"
    digits = (whole + fraction).lstrip("0")
    if len(exponent.lstrip("+-0")) > 18:
        raise ValueError(literal)
    if not digits:
        return 0
    scale = int(exponent) - len(fraction)
    if abs(scale) >= 2**31:
        raise ValueError(literal)
    significant = digits.rstrip("0")
    scale += len(digits) - len(significant)
    if len(significant) + scale > 19:
        return None
    value: int | None = int(significant) * 10**scale if scale >= 0 else _rounded(significant, -scale)
    return value if value is not None and value < _LIMIT else None


def _rounded(significant: str, places: int) -> int | None:
    """Return `significant` / 10**`places` if rounding it to 512 bits, half to even, makes it whole.

    The last digit is not 0, so only rounding can; `significant` has at most 19 digits before the point.
    """
    if len(significant) > _DIGITS_KEPT:  # the 1 stands for the nonzero rest, enough to round correctly
        places -= len(significant) - _DIGITS_KEPT - 1
        significant = significant[:_DIGITS_KEPT] + "1"
    if places > len(significant) + _PRECISION or len(significant) < _PRECISION // 4:
        return None
    unit: int = 10**places
    below, rest = divmod(int(significant), unit)
    shift = _PRECISION + 1 - below.bit_length()  # half a unit of the last place, seen from `unit`
    if rest << shift <= unit and below:
        return below
    return below + 1 if (unit - rest) << shift <= unit else None


def quoted_literal(text: str, column: int, problems: list[AddressProblem]) -> str:
    """Return the value of a part of a quoted string that starts at `column`; append errors to `problems`.

    The value is not yet in NFC, since characters of adjacent parts may combine.
    """
    if "\\" not in text and "{" not in text:
        return text

    def resolve(match: re.Match[str]) -> str:
        escape = match.group()
        simple = _SIMPLE.get(escape)
        if simple is not None:
            return simple
        value, problem = _unusual(escape)
        if problem:
            problems.append(AddressProblem(column + match.start(), _BAD_ESCAPE, problem))
        return value

    return _ESCAPE.sub(resolve, text)


def _unusual(escape: str) -> tuple[str, str]:
    """Return the value of a numeric or invalid escape sequence, and the problem, "" if there is none."""
    selector = escape[1]
    if selector == "u" and len(escape) != 6:
        return escape, "The \\u escape sequence must be followed by four hexadecimal digits."
    if selector == "U" and len(escape) != 10:
        return escape, "The \\U escape sequence must be followed by eight hexadecimal digits."
    if selector not in "uU":
        return selector, f"The symbol {quote(selector)} is not a valid escape sequence selector."
    code = int(escape[2:], 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return escape, f"Cannot encode character U+{code:04x} in UTF-8."
    return chr(code), ""
