"""Regular expressions as Go reads them, translated into Python's.

What Python would read in another way, or find in another place, is `Unshared`. Source: Go `regexp/syntax`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from statefmt.config.functions.registry import FunctionError

_CODE: Final = (
    r"x\{(?P<long>[0-9A-Fa-f]{1,6})\}|x(?P<short>[0-9A-Fa-f]{2})|(?P<octal>0[0-7]{0,2}|[1-7][0-7]{1,2})"
    r"|(?P<property>[pP](?:\{\^?\w+\}|\w))|(?P<escape>.)"
)
_PIECE: Final = re.compile(
    rf"\\(?:Q(?P<quoted>.*?)(?:\\E|\Z)|{_CODE})"
    r"|\[(?P<class>\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*)\]"
    r"|\((?P<group>(?:\?(?:P?<\w+>|[a-zA-Z]*(?:-[a-zA-Z]+)?[:)]|[^)]*))?)"
    r"|(?P<close>\))|(?P<anchor>[$^.])|(?P<repeat>\{[0-9]*(?:,[0-9]*)?\}|[*+?])|(?P<plain>.)",
    re.DOTALL,
)
_IN_CLASS: Final = re.compile(rf"\[:(?P<not>\^?)(?P<name>\w+):\]|\\(?:{_CODE})|(?P<plain>.)", re.DOTALL)
_SPACES: Final = r"\t\n\f\r "
_PERL: Final = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACES}
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
# Escapes of single characters that both know.
_CHARACTERS: Final = frozenset("ntrfva")
_GREATEST_REPEAT: Final = 1000
_LAST: Final = 0x10FFFF


class Unshared(Exception):  # noqa: N818
    """The expression has something that Python reads in another way."""


class _Flags:
    """Flags that are on, by group: `(?i)` is on up to the end of the group it stands in."""

    def __init__(self) -> None:
        self._open: list[frozenset[str]] = [frozenset()]
        # How many more parentheses than Go's are to be closed with each group.
        self._more: list[int] = [0]

    def group(self, text: str) -> str:
        """The beginning of a group."""
        if text.startswith(("?P<", "?<")) and not text.startswith(("?<=", "?<!")):
            name = text[text.index("<") + 1 : -1]
            self._enter(self._open[-1])
            return f"(?P<{name}>"
        if text == "":
            self._enter(self._open[-1])
            return "("
        flags = re.fullmatch(r"\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])", text)
        if flags is None or not set(flags[1] + (flags[2] or "")) <= set("imsU") or text in ("?)", "?:)"):
            raise FunctionError("error parsing regexp: invalid or unsupported Perl syntax", 0)
        now = (self._open[-1] | set(flags[1])) - set(flags[2] or "")
        if "U" in now:
            raise Unshared
        ignore = f"(?{'i' if 'i' in now else '-i'}:"
        if flags[3] == ")":
            self._open[-1] = frozenset(now)
            self._more[-1] += 1
            return ignore
        self._enter(frozenset(now))
        return ignore

    def _enter(self, flags: frozenset[str]) -> None:
        self._open.append(flags)
        self._more.append(0)

    def leave(self) -> str:
        """The end of a group."""
        if len(self._open) == 1:
            raise FunctionError("error parsing regexp: unexpected )", 0)
        self._open.pop()
        return ")" * (1 + self._more.pop())

    def end(self) -> str:
        """The end of the expression."""
        if len(self._open) > 1:
            raise FunctionError("error parsing regexp: missing closing )", 0)
        return ")" * self._more[0]

    def anchor(self, char: str) -> str:
        now = self._open[-1]
        if char == ".":
            return r"[\s\S]" if "s" in now else r"[^\n]"
        if "m" in now:
            return r"(?m:^)" if char == "^" else r"(?m:$)"
        return r"\A" if char == "^" else r"\Z"


def translated(pattern: str) -> str:
    """The expression for Python. Raises FunctionError for what Go would refuse, and Unshared."""
    return "".join(_pieces(pattern))


def _pieces(pattern: str) -> Iterator[str]:
    flags = _Flags()
    repeated = True  # whether there is nothing that could be repeated
    for piece in _PIECE.finditer(pattern):
        repeat = piece["repeat"]
        if repeat is not None and _is_repeat(repeat):
            if repeated and repeat != "?":
                raise FunctionError("error parsing regexp: invalid nested repetition operator, or nothing to repeat", 0)
            lazy = repeat == "?" and piece.start() > 0 and repeated
            yield _repeat(repeat)
            repeated = not lazy
            if lazy and _follows_repeat(pattern, piece.end()):
                raise FunctionError("error parsing regexp: invalid nested repetition operator", 0)
            continue
        repeated = False
        if piece["group"] is not None:
            yield flags.group(piece["group"])
            repeated = True
        elif piece["close"]:
            yield flags.leave()
        elif piece["anchor"]:
            yield flags.anchor(piece["anchor"])
        else:
            yield _single(piece)
            repeated = piece["plain"] == "|"
    yield flags.end()


def _is_repeat(text: str) -> bool:
    # `{,3}` are four characters in Go.
    return text[0] != "{" or (len(text) > 2 and text[1] != ",")


def _repeat(text: str) -> str:
    found = re.findall(r"\d+", text)
    # Python converts no text of more than 4,300 digits.
    bounds = [int(each) if len(each) < 20 else _GREATEST_REPEAT + 1 for each in found]
    if any(bound > _GREATEST_REPEAT for bound in bounds) or bounds != sorted(bounds):
        raise FunctionError("error parsing regexp: invalid repeat count", 0)
    return text


def _follows_repeat(pattern: str, at: int) -> bool:
    piece = _PIECE.match(pattern, at)
    return piece is not None and piece["repeat"] is not None and _is_repeat(piece["repeat"])


def _single(piece: re.Match[str]) -> str:
    if piece["quoted"] is not None:
        return re.escape(piece["quoted"])
    if piece["class"] is not None:
        return _class(piece["class"])
    if piece["escape"] is not None:
        char = piece["escape"]
        if char.lower() in _PERL:
            return f"[{'^' if char.isupper() else ''}{_PERL[char.lower()]}]"
        known = {"b": r"(?a:\b)", "B": r"(?a:\B)", "A": r"\A", "z": r"\Z"}
        return known.get(char) or _character(piece)
    if piece["plain"] is not None:
        if piece["plain"] in "\\[":
            raise FunctionError("error parsing regexp: missing closing ], or trailing backslash", 0)
        return piece["plain"] if piece["plain"] == "|" else re.escape(piece["plain"])
    return re.escape(piece["repeat"]) if piece["repeat"] is not None else _character(piece)


def _character(piece: re.Match[str]) -> str:
    """What an escape of one character stands for, within a class and outside."""
    if piece["property"]:
        raise Unshared
    if piece["octal"]:
        return re.escape(chr(int(piece["octal"], 8)))
    code = piece["long"] or piece["short"]
    if code and int(code, 16) <= _LAST:
        return re.escape(chr(int(code, 16)))
    char = piece["escape"] or "x"
    if char in _CHARACTERS or (char.isascii() and not char.isalnum()):
        return "\\" + char
    raise FunctionError(f"error parsing regexp: invalid escape sequence: `\\{char}`", 0)


def _class(inside: str) -> str:
    negated = inside.startswith("^")
    found: list[str] = []
    for piece in _IN_CLASS.finditer(inside[negated:]):
        if piece["name"]:
            if piece["name"] not in _POSIX:
                raise FunctionError("error parsing regexp: invalid character class range", 0)
            members = _POSIX[piece["name"]]
            found.append(_others(members) if piece["not"] else members)
        elif (piece["escape"] or "-").lower() in _PERL:
            members = _PERL[piece["escape"].lower()]
            found.append(_others(members) if piece["escape"].isupper() else members)
        elif piece["plain"]:
            found.append("-" if piece["plain"] == "-" else re.escape(piece["plain"]))
        else:
            found.append(_character(piece))
    dashes = "".join(found)
    if "-" in dashes[1:-1].replace("\\-", "") and _has_loose_dash(found):
        raise Unshared
    return f"[{'^' if negated else ''}{dashes}]"


def _has_loose_dash(found: list[str]) -> bool:
    """Whether a dash stands where it may be read as one or as the middle of a range."""
    ranges = set(_PERL.values()) | set(_POSIX.values())
    for place, piece in enumerate(found):
        if piece != "-" or place in (0, len(found) - 1):
            continue
        before, after = found[place - 1], found[place + 1]
        after_range = place > 2 and found[place - 2] == "-"
        wide = len(before) > 8 or len(after) > 8 or before in ranges or after in ranges
        if wide or after_range or "-" in (before, after):
            return True
    return False


def _others(members: str) -> str:
    """All the other characters."""
    pattern = re.compile(f"[{members}]")
    return "".join(re.escape(chr(code)) for code in range(128) if not pattern.match(chr(code))) + "\x80-\U0010ffff"
