"""Decodes masks and other small parts of a plan: JSON of which only structure, strings, bools and integers matter."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Raw

from statefmt.golang import JSONValue, Members, loads_exact

_DECODER: Final = msgspec.json.Decoder(float_hook=str)


def decode_part(raw: Raw | bytes) -> object:
    """Decode JSON; numbers that are no integers of 64 bits may be text.

    Half a surrogate pair becomes U+FFFD, as in Go. Raises RecursionError or ValueError if it is nested too deeply.
    """
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Numbers of any size, and half a surrogate pair in an escape.
        return _plain(loads_exact(bytes(raw), replace_invalid=True))


def _plain(value: JSONValue) -> object:
    if isinstance(value, Members):
        return {name: _plain(member) for name, member in value}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return str(value) if isinstance(value, str) else value
