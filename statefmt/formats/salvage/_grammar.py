"""Defines the tokens of JSON, strictly by RFC 8259."""

from __future__ import annotations

from typing import Final

from statefmt.text.pattern import pattern

SPACE: Final = rb"[ \t\r\n]*+"
STRING: Final = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_NUMBER: Final = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
MEMBER: Final = pattern(SPACE + b"(" + STRING + b")" + SPACE + b":" + SPACE)
# A number ends only before something else: at the end of the text, digits may be missing.
SCALAR: Final = pattern(STRING + rb"|(?:true|false|null|" + _NUMBER + rb")(?=[ \t\r\n]*+[,\]}])")
GAP: Final = pattern(SPACE)
# What may be between the parts of a state whose brackets are lost: values that nobody asks for, and brackets.
LOOSE: Final = pattern(rb"(?:[ \t\r\n,:\[\]}]++|" + STRING + rb"|true|false|null|" + _NUMBER + rb")*+")
