"""Quotes strings in HCL syntax, as OpenTofu prints instance keys."""

from __future__ import annotations

import re

from statefmt.text.pattern import pattern

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
