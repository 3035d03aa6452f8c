"""Builds and matches strings: regular expressions, wildcards, escapes for display and shell quoting.

`pattern` compiles on first use, since a run needs only a few patterns. Patterns of users are compiled with RE2: the
syntax of Go and ripgrep, matched in linear time.
"""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, AnyStr, Final, TypeAlias, cast

if TYPE_CHECKING:
    import re2


class _Later:
    """A proxy for a compiled expression. It caches each attribute, so that later accesses are as fast."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        self._expression = expression
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, value)
        return value


def pattern(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Like `re.compile`, which takes 0.1 ms and more, but compiles on first use."""
    return cast("re.Pattern[AnyStr]", _Later(expression, flags))


def user_regex(
    expression: str, *, ignore_case: bool = False, literal: bool = False, lines: bool = False
) -> re2._Regexp:
    """Compile an expression. With `literal` it is a plain string; with `lines`, `^` and `$` match at lines.

    Raises ValueError with the reason if it is invalid, and ModuleNotFoundError without google-re2.
    """
    # Imported late: most runs match nothing.
    import re2

    options = re2.Options()
    options.log_errors = False
    options.literal = literal
    options.case_sensitive = not ignore_case
    try:
        # Flags in the expression, since Options has none for lines in this syntax.
        return re2.compile(f"(?m){expression}" if lines and not literal else expression, options)
    except re2.error as error:
        raise ValueError(error.args[0].decode(errors="replace").replace("(?m)", "", 1)) from None


TextTest: TypeAlias = Callable[[str], bool]

_SPECIAL: Final = pattern(r"[\[*?]")
_PIECE: Final = pattern(r"\\([*?])|([*?])|((?:\\(?![*?])|[^\\*?])+)")
# A backslash escapes the next character, as in a quoted string.
_QUOTED_PIECE: Final = pattern(r"\\([*?])|([*?])|((?:\\[^*?]|[^\\*?])+)")


def has_wildcards(text: str) -> bool:
    """Return whether `text` contains `*` or `?`, escaped or not."""
    return "*" in text or "?" in text


def wildcard_test(pattern: str) -> TextTest:
    """Return a test for whether a whole string matches the pattern. Matching is case-sensitive."""
    return _test([_piece(match) for match in _PIECE.finditer(pattern)])


def quoted_wildcard_test(pattern: str, resolve: Callable[[str, int], str]) -> TextTest:
    """Like wildcard_test(), for the inside of a quoted string: `resolve` unescapes a part, given its position, too."""
    return _test([_piece(match, resolve) for match in _QUOTED_PIECE.finditer(pattern)])


def asterisk_test(pattern: str) -> TextTest:
    """Like wildcard_test(), but only `*` is special: addresses contain brackets, question marks and backslashes."""
    return _test(["*".join(map(_literal, pattern.split("*")))])


def _piece(match: re.Match[str], resolve: Callable[[str, int], str] | None = None) -> str:
    """Translate a part of a pattern to fnmatch syntax, which matches in linear time."""
    escaped, wildcard, plain = match.groups()
    if wildcard:
        return wildcard
    text = escaped or (resolve(plain, match.start()) if resolve else plain)
    return _literal(text)


def _literal(text: str) -> str:
    return _SPECIAL.sub(r"[\g<0>]", text)


def _test(pieces: list[str]) -> TextTest:
    expression = re.compile(fnmatch.translate("".join(pieces)))
    return lambda text: expression.match(text) is not None


# Control characters (an escape sequence can rewrite the screen), bidirectional controls, line separators, surrogates
# (also bytes of a file name that are not UTF-8) and noncharacters.
_UNSAFE: Final = pattern(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def printable(text: str) -> str:
    """Return the text in one line, with unsafe characters escaped, such as `\\x1b`."""
    if text.isprintable():
        return text
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


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
    # A surrogate that does not represent a byte can only come from a state, where it is an error.
    data = char.encode("utf-8", "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass")
    return "".join([f"\\x{byte:02x}" for byte in data])


_QUOTE: Final = pattern(r'(?<!\\)(\\*)"')


class Shell(Enum):
    """The kinds of shells that quote differently."""

    POSIX = auto()  # sh, bash, zsh, ksh
    FISH = auto()
    POWERSHELL = auto()
    CMD = auto()


def running_shell(environment: Mapping[str, str]) -> Shell:
    """Return the shell that an environment suggests.

    Windows sets PSModulePath for every process, but only cmd.exe sets PROMPT. Elsewhere, only PowerShell sets
    PSModulePath, and SHELL is the login shell.
    """
    if "PSModulePath" in environment:
        return Shell.CMD if "PROMPT" in environment and "ComSpec" in environment else Shell.POWERSHELL
    if "ComSpec" in environment and "SHELL" not in environment:
        return Shell.CMD
    name = environment.get("SHELL", "").replace("\\", "/").rpartition("/")[2]
    return {"fish": Shell.FISH, "pwsh": Shell.POWERSHELL}.get(name, Shell.POSIX)


def quoted_for(text: str, shell: Shell) -> str:
    """Quote a string for a shell. For PowerShell, this is the form of version 7.3 and later."""
    if shell is Shell.FISH and text.isprintable():
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if shell is Shell.POWERSHELL:
        return "'" + text.replace("'", "''") + "'"
    if shell is Shell.CMD:
        return f'"{_escaped_for_windows(text)}"'
    return shell_word(text)


def _escaped_for_windows(text: str) -> str:
    """Escape double quotes as Windows programs expect: with a backslash, and the backslashes before them doubled."""
    return _QUOTE.sub(r'\1\1\\"', text)


def advice(text: str, shell: Shell) -> str:
    """Return how to write an argument in a shell, as the end of a sentence that begins with "write"."""
    word = quoted_for(text, shell)
    if shell is Shell.CMD:
        return f"{word}, with a backslash before each inner quote"
    if shell is Shell.POWERSHELL and '"' in text:
        return f"{word} in PowerShell 7.3 or later, {_escaped_for_windows(word)} in older versions"
    return f"{word} in single quotes" if word.startswith("'") else word
