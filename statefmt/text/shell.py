"""Words of a command line as a shell takes them, in printable characters only."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'"}


def shell_word(text: str) -> str:
    """The text quoted for a POSIX shell.

    Text with control characters, or with bytes of a file name that are not UTF-8, is written `$'\\xff'` (bash, ksh,
    zsh, POSIX.1-2024), so that the word can be shown in one line and stands for the very same bytes.
    """
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join([_NAMED.get(char) or (char if char.isprintable() else _bytes(char)) for char in text]) + "'"


def shell_line(words: Iterable[str]) -> str:
    """Words as a command line."""
    return " ".join(map(shell_word, words))


def _bytes(char: str) -> str:
    # A surrogate that stands for no byte can only come from the text of a state, where it is an error.
    data = char.encode("utf-8", "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass")
    return "".join([f"\\x{byte:02x}" for byte in data])
