"""Quotes words for a POSIX shell, using printable characters only."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'"}


def shell_word(text: str) -> str:
    """Quote a string for a POSIX shell.

    Strings with control characters or non-UTF-8 bytes are written as `$'\\xff'` (bash, ksh, zsh, POSIX.1-2024), which
    fits on one line and yields the same bytes.
    """
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join([_NAMED.get(char) or (char if char.isprintable() else _bytes(char)) for char in text]) + "'"


def shell_line(words: Iterable[str]) -> str:
    """Quote the words and join them into a command line."""
    return " ".join(map(shell_word, words))


def _bytes(char: str) -> str:
    # A surrogate that does not stand for a byte can only come from a state, where it is an error.
    data = char.encode("utf-8", "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass")
    return "".join([f"\\x{byte:02x}" for byte in data])
