"""Valid JSON texts, damaged in one to three places: by values of other kinds, and by bytes that are no JSON at all."""

from __future__ import annotations

import re
from random import Random
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.\w]+|[\[\]{}:,]', re.DOTALL)

# The depths are below, near and far above what Python's stack and the JSON parsers in use follow.
_DEPTHS: Final = (60, 130, 400, 700, 930, 960, 985, 1_030, 5_000, 200_000)
_NUMBERS: Final = (
    b"0",
    b"-0",
    b"-0.0",
    b"1",
    b"-1",
    b"1.5",
    b"1e0",
    b"4.0",
    b"1E400",
    b"-1e400",
    b"1e-400",
    b"1e999999999",
    b"1e-999999999",
    b"123e-99999999999999999999",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"18446744073709551615",
    b"18446744073709551616",
    b"1e19",
    b"9" * 400,
    b"9" * 5_000,
    b"9" * 1_000_000,
    b"0." + b"0" * 400 + b"1",
)
_STRINGS: Final = (
    b"",
    b"x",
    b"0",
    b"1e400",
    b"tainted",
    b"managed",
    b"data",
    b"root",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00\\ud800",
    b"\\ud83d\\ude00",
    b"\xff",
    b"\xed\xa0\x80",
    b"e\xcc\x81",
    b"\\u2028",
    b"\\u001b[2J",
    b"a.b",
    b"a.b[0]",
    b'a.b[\\"',
    b"module.",
    b"module.a[",
    b"provider[",
    b'provider[\\"registry.opentofu.org/hashicorp/aws\\"].w[\\"k\\"]',
    b"provider.aws.",
    b".." * 300,
    b"a" * 70_000,
    b"A===",
    b"bnVsbA==",
    b"eyJ4IjoxZTQwMH0=",
    b"W1tb",
    b"*",
    b"${x}",
)
_OTHERS: Final = (
    b"null",
    b"true",
    b"false",
    b"[]",
    b"{}",
    b"[null]",
    b"[{}]",
    b"[[]]",
    b'{"":null}',
    b'{"a":{}}',
    b'{"a":1,"a":2}',
    b'{"\xff":1}',
    b'{"\\ud800":"\\ud800"}',
    b'[{"type":"get_attr","value":"id"}]',
    b'[{"type":"index","value":{"value":1e400,"type":"number"}}]',
    b'[{"type":"index","value":{"value":1e999999999,"type":"number"}}]',
    b'["map","number"]',
    b'["object",{"a":"dynamic"}]',
)
_NO_JSON: Final = (
    b"01",
    b"+1",
    b"1.",
    b".5",
    b"NaN",
    b"-Infinity",
    b"0x1",
    b'"\x00"',
    b'"\n"',
    b'"\\q"',
    b'"\\u12"',
    b"",
    b"[1",
    b'{"a":1',
    b"{1:1}",
)
_BYTES: Final = (
    b"\xff",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\\",
    b'"',
    b"{",
    b"}",
    b"]",
    b",",
    b":",
    b"\n",
    b"\xe2\x80\xa8",
    b"//",
    b"1",
)


class _Token(NamedTuple):
    """A value, or the name of a member with its colon; `end` is that of its value."""

    start: int
    end: int
    name_end: int


def mutated(text: bytes, random: Random, most: int = 3) -> bytes:
    """The text with one to `most` changes, which may be the same as before."""
    for _ in range(random.randint(1, most)):
        text = _once(text, random)
    return text


def hostile_value(random: Random) -> bytes:
    """A JSON value that no program writes here, or nearly one."""
    if random.random() < 0.05:
        return random.choice(_NO_JSON)
    kind = random.randrange(12)
    if kind == 0:
        depth = random.choice(_DEPTHS)
        opening, closing = random.choice(((b"[", b"]"), (b'{"a":', b"}")))
        return opening * depth + b"1" + closing * depth
    if kind < 5:
        return random.choice(_NUMBERS)
    return b'"%b"' % random.choice(_STRINGS) if kind < 9 else random.choice(_OTHERS)


def _once(text: bytes, random: Random) -> bytes:
    tokens = _tokens(text)
    if not tokens or random.random() < 0.03:
        at = random.choice((0, len(text), random.randint(0, len(text))))
        cut = random.choice((0, 0, 1, 10, len(text)))
        return text[:at] + random.choice(_BYTES) + text[at + cut :]
    token = random.choice(tokens)
    whole, value = text[token.start : token.end], text[token.name_end : token.end]
    kind = random.randrange(8) if token.name_end > token.start else random.choice((0, 0, 1, 2))
    new = {
        1: b"",
        2: whole + b"," + whole,
        3: b'"%b":' % random.choice(_STRINGS) + value,
        4: whole.upper() if len(whole) < 200 else whole,
        5: text[token.start : token.name_end] + hostile_value(random) + b"," + whole,
        6: whole + b"," + text[token.start : token.name_end].title() + hostile_value(random),
    }.get(kind, text[token.start : token.name_end] + hostile_value(random))
    # Without an element, its comma goes too: else most of what comes out is no JSON.
    end = token.end + (kind == 1 and text[token.end : token.end + 1] == b",")
    return text[: token.start] + new + text[end:]


def _tokens(text: bytes) -> list[_Token]:
    """The members and elements at all depths; of what is no JSON, those that are found."""
    found: list[_Token] = []
    open_: list[tuple[int, int]] = []
    named: tuple[int, int] | None = None
    last = (0, 0)
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == b":":
            if found and found[-1].start == last[0]:
                found.pop()
            named = (last[0], match.end())
        elif token in (b"{", b"["):
            open_.append(named or (match.start(), match.start()))
            named = None
        elif token in (b"}", b"]"):
            if open_:
                start, name_end = open_.pop()
                found.append(_Token(start, match.end(), name_end))
        elif token != b",":
            start, name_end = named or (match.start(), match.start())
            found.append(_Token(start, match.end(), name_end))
            last, named = match.span(), None
    return found
