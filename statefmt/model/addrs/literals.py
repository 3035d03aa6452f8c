"""Evaluates HCL's number and string literals, and quotes strings as OpenTofu prints instance keys.

Sources: HCL `hclsyntax/parser.go` (numberLitValue, ParseStringLiteralToken), `hclsyntax/scan_string_lit.rl`;
go-cty, which reads numbers as 512-bit floats and normalizes strings to NFC.
"""

from __future__ import annotations

import re
from typing import Final

from statefmt.golang import quote
from statefmt.model.errors import AddressProblem
from statefmt.text import pattern

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


_PLAIN = pattern(r"[ !#&-\[\]-~]*+")  # printable ASCII that needs no escapes: no '"', '$', '%', '\'

_HCL_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_TEMPLATE_START = pattern(r"([$%])(?=\{)")


def hcl_quote(text: str) -> str:
    """Quote `text` as an HCL string literal that parses back to it.

    Characters that are not printable by Go's unicode.IsPrint become `\\uXXXX`; `str.isprintable` applies the same
    rule with Python's Unicode version. Source: OpenTofu `internal/addrs/instance_key.go`, toHCLQuotedString.
    """
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    escaped = "".join([_hcl_character(char) for char in text])
    return f'"{_TEMPLATE_START.sub(_double, escaped)}"'


def _hcl_character(char: str) -> str:
    escape = _HCL_ESCAPES.get(char)
    if escape is not None:
        return escape
    return char if char.isprintable() else _code_point(ord(char))


def _code_point(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _double(match: re.Match[str]) -> str:
    return match.group() * 2
