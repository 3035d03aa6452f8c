"""Makes the slips of hand edits in a state: one small change that keeps it from being JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Final

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_Made = Callable[[Random, bytes, list["re.Match[bytes]"]], bytes]


def _at(tokens: list[re.Match[bytes]], chance: Random, wanted: Callable[[re.Match[bytes]], bool]) -> re.Match[bytes]:
    return chance.choice([one for one in tokens if wanted(one)])


def _without(kinds: bytes) -> _Made:
    def made(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
        # The last bracket of a file is missing where it was cut off, too.
        one = _at(tokens[:-1], chance, lambda token: token[0] in [kinds[n : n + 1] for n in range(len(kinds))])
        return data[: one.start()] + data[one.end() :]

    return made


def _with(kinds: bytes, text: bytes) -> _Made:
    def made(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
        one = _at(tokens, chance, lambda token: token[0] in [kinds[n : n + 1] for n in range(len(kinds))])
        return data[: one.end()] + text + data[one.end() :]

    return made


def _twice(kinds: bytes) -> _Made:
    def made(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
        one = _at(tokens, chance, lambda token: token[0] in [kinds[n : n + 1] for n in range(len(kinds))])
        return data[: one.end()] + one[0] + data[one.end() :]

    return made


def _is_string(token: re.Match[bytes]) -> bool:
    return token[0].startswith(b'"')


def _trailing_comma(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
    places = [n for n, one in enumerate(tokens) if one[0] in (b"}", b"]") and tokens[n - 1][0] not in (b"{", b"[")]
    before = tokens[chance.choice(places) - 1]
    return data[: before.end()] + b"," + data[before.end() :]


def _open_quote(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
    one = _at(tokens, chance, _is_string)
    return data[: one.start()] + data[one.start() + 1 :]


def _close_quote(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
    one = _at(tokens, chance, _is_string)
    return data[: one.end() - 1] + data[one.end() :]


def _quotes(first: str, last: str) -> _Made:
    def made(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
        plain = re.compile(rb'"[\w./:-]+"')
        one = _at(tokens, chance, lambda token: plain.fullmatch(token[0]) is not None)
        return data[: one.start()] + first.encode() + one[0][1:-1] + last.encode() + data[one.end() :]

    return made


def _no_quotes(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
    name = re.compile(rb'"[a-z_]+"')
    places = [n for n, one in enumerate(tokens[:-1]) if name.fullmatch(one[0]) and tokens[n + 1][0] == b":"]
    one = tokens[chance.choice(places)]
    return data[: one.start()] + one[0][1:-1] + data[one.end() :]


def _python(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
    words = {b"true": b"True", b"false": b"False", b"null": b"None"}
    one = _at(tokens, chance, lambda token: token[0] in words)
    return data[: one.start()] + words[one[0]] + data[one.end() :]


def _comment(first: bytes, last: bytes) -> _Made:
    def made(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
        one = chance.choice(tokens)
        text = b" " + first + b' this, and "that": {see [x] ' + last
        if b"\n" not in last and last != b"*/":
            # Only at the end of a line.
            end = data.find(b"\n", one.end())
            return data[:end] + text + data[end:] if end >= 0 else data + text
        return data[: one.end()] + text + data[one.end() :]

    return made


def _marker(line: bytes) -> _Made:
    def made(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
        lines = data.splitlines(keepends=True)
        end = b"\r\n" if lines[0].endswith(b"\r\n") else b"\n"
        lines.insert(chance.randrange(len(lines)), line + end)
        return b"".join(lines)

    return made


def _colon(text: bytes) -> _Made:
    def made(chance: Random, data: bytes, tokens: list[re.Match[bytes]]) -> bytes:
        one = _at(tokens, chance, lambda token: token[0] == b":")
        return data[: one.start()] + text + data[one.end() :]

    return made


SLIPS: Final[dict[str, _Made]] = {
    "comma missing": _without(b","),
    "comma twice": _twice(b","),
    "comma behind an opening bracket": _with(b"{[", b","),
    "comma behind the last member": _trailing_comma,
    "comma behind the end": lambda chance, data, tokens: data.rstrip() + b",\n",
    "semicolon": lambda chance, data, tokens: _replaced(chance, data, tokens, b",", b";"),
    "colon missing": _without(b":"),
    "colon twice": _twice(b":"),
    "equals sign": _colon(b" ="),
    "brace missing": _without(b"{"),
    "closing brace missing": _without(b"}"),
    "bracket missing": _without(b"["),
    "closing bracket missing": _without(b"]"),
    "brace twice": _twice(b"{"),
    "closing brace twice": _twice(b"}"),
    "bracket twice": _twice(b"["),
    "closing bracket twice": _twice(b"]"),
    "wrong closing bracket": lambda chance, data, tokens: _replaced(chance, data, tokens, b"]", b"}"),
    "wrong closing brace": lambda chance, data, tokens: _replaced(chance, data, tokens, b"}", b"]"),
    "opening quote missing": _open_quote,
    "closing quote missing": _close_quote,
    "single quotes": _quotes("'", "'"),
    "typographic quotes": _quotes("\u201c", "\u201d"),
    "German quotes": _quotes("\u201e", "\u201c"),
    "one typographic quote": _quotes('"', "\u201d"),
    "the other typographic quote": _quotes("\u201c", '"'),
    "name without quotes": _no_quotes,
    "Python's words": _python,
    "slashes": _comment(b"//", b""),
    "hash": _comment(b"#", b""),
    "block comment": _comment(b"/*", b"*/"),
    "stray marker": _marker(b"<<<<<<< HEAD"),
    "another stray marker": _marker(b">>>>>>> 3f1c2a7 (change)"),
    "stray separator": _marker(b"======="),
    "no-break space": _with(b"{[,:", "\u00a0".encode()),
}


def _replaced(chance: Random, data: bytes, tokens: list[re.Match[bytes]], old: bytes, new: bytes) -> bytes:
    one = _at(tokens[:-1], chance, lambda token: token[0] == old)
    return data[: one.start()] + new + data[one.end() :]


def slipped(kind: str, seed: int, data: bytes) -> bytes | None:
    """Return a state with one slip of a kind; None if that leaves JSON, or has no place in it."""
    chance = Random(f"{kind} {seed}")
    try:
        made = SLIPS[kind](chance, data, list(_TOKEN.finditer(data)))
    except IndexError:
        return None
    try:
        json.loads(made)
    except ValueError:
        return made
    return None
