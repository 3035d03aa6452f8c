"""Changes white space and HTML escapes in raw JSON without decoding it."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from statefmt.golang.parse import loads_exact
from statefmt.text.pattern import pattern

# The nesting limit of encoding/json, for reading and writing.
_MAX_DEPTH = 10_000

# An unterminated string extends to the end of the input; otherwise each quote in it would start another search.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_STRING_OR_SPACE = pattern(rb"(" + _STRING + rb")|[ \t\r\n]+", re.DOTALL)
_SURROGATE_ESCAPE = pattern(rb"\\u[dD][89a-fA-F]")
_STRUCTURE = pattern(_STRING + rb"|\[\]|\{\}|[\[\]{},:]", re.DOTALL)


def escape_html(raw: bytes) -> bytes:
    """Escape `<`, `>`, `&`, U+2028 and U+2029 as Go does when it writes a json.RawMessage.

    `raw` must be valid JSON, where they occur in strings only. Returns `raw` itself if it contains none of them.
    """
    # bytes.replace returns the same object if nothing matches, so the common case makes no copy.
    raw = raw.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")
    # The search for one byte is by far the fastest.
    if b"\xe2" in raw:
        raw = raw.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return raw


def compact(raw: bytes) -> bytes:
    """Remove the white space between the tokens of valid JSON; numbers and escapes stay unchanged.

    Raises ValueError if it detects invalid JSON.
    """
    return _format(raw, -1, _compact_slowly)


def indent(raw: bytes) -> bytes:
    """Indent valid JSON by two spaces as Go's json.MarshalIndent does; `[]` and `{}` stay on one line.

    Numbers and escapes stay unchanged. Raises ValueError if it detects invalid JSON.
    """
    return _format(raw, 2, _indent_slowly)


def _format(raw: bytes, spaces: int, slowly: Callable[[bytes], bytes]) -> bytes:
    """Format with msgspec, or with `slowly` for valid JSON that msgspec refuses: deep nesting, lone surrogates."""
    try:
        return msgspec.json.format(raw, indent=spaces)
    except RecursionError:
        return slowly(raw)
    except msgspec.MsgspecError as error:
        if not _SURROGATE_ESCAPE.search(raw):
            raise ValueError(str(error)) from None
    loads_exact(raw, replace_invalid=True)
    return slowly(raw)


def _compact_slowly(raw: bytes) -> bytes:
    depth = 0
    for match in _STRUCTURE.finditer(raw):
        token = match.group()
        depth += token[:1] in (b"[", b"{")
        if depth > _MAX_DEPTH:
            raise ValueError("exceeded max depth")
        depth -= token[-1:] in (b"]", b"}")
    return _STRING_OR_SPACE.sub(rb"\1", raw)


def _indent_slowly(raw: bytes) -> bytes:
    raw = _compact_slowly(raw)
    depth = 0
    parts: list[bytes] = []
    done = 0
    for match in _STRUCTURE.finditer(raw):
        token = match.group()
        parts.append(raw[done : match.start()])
        done = match.end()
        if token in (b"[", b"{"):
            depth += 1
            parts.append(token + b"\n" + b"  " * depth)
        elif token in (b"]", b"}"):
            depth -= 1
            parts.append(b"\n" + b"  " * depth + token)
        elif token == b",":
            parts.append(b",\n" + b"  " * depth)
        else:
            parts.append(b": " if token == b":" else token)
    parts.append(raw[done:])
    return b"".join(parts)
