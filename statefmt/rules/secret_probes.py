"""Which of many JSON texts may hold a secret: a cheap search over their bytes, so that only those few are decoded.

Each probe is a piece of plain text and what may follow it. A piece is chosen so that searching for it is nearly free: a
letter that is rare in states, where there is one. Probes are looser than what decides in the end (`secret_shapes`,
`secret_names`), and must find whatever that finds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Flag, auto
from itertools import accumulate
from typing import Final

from msgspec import Raw


class Suspicion(Flag):
    """What a text may hold: a secret that is known by its shape, or by its name."""

    SHAPE = auto()
    NAME = auto()


# Behind a name: a string that is not empty, perhaps that of an entry {"name": "DB_PASSWORD", "value": "…"}, perhaps in
# JSON that is itself a string.
_VALUE: Final = rb'\\*"\s*(?::|,\s*\\*"[vV]alue\\*"\s*:)\s*\\*"(?!\\*"|arn:)'
_KEY_VALUE: Final = rb"(?<=[A-Za-z_. -].{3})" + _VALUE + rb'[^"\s]{12}'
_PASSWORD: Final = rb"(?:a(?:ssword|sswd|ssphrase)|wd)" + _VALUE

_SHAPES: Final = {
    b"p": rb"at-[A-Za-z0-9_-]{20}|m_[A-Za-z0-9]{36}",
    b"S": rb"IA[A-Z2-7]{16}|G\.[A-Za-z0-9_-]{22}\.|5vcmc",
    b"k": rb"_live_|-ant-",
    b"K": rb"IA[A-Z2-7]{16}|EY(?:-----|-1| BLOCK)|ey=[A-Za-z0-9+/]{43}|ey-File-",
    b"h": rb"[pousr]_[A-Za-z0-9]{36}|ub_pat_|v[bsr]\.[A-Za-z0-9_-]{24}|ooks\.slack\.com/",
    b"x": rb"ox[abeoprs]-",
    b"J": rb"(?<=\.eyJ)|TiB|0eXBlIjogInNlcnZpY2Vf|(?<=T3BlbkFJ)",
    b"z": rb"a[0-9A-Za-z_-]{35}",
    b"~": rb"(?<=Q~)",
    b"=": rb"(?<=sig=)",
}
_NAMES: Final = {
    b"p": _PASSWORD,
    b"P": _PASSWORD + rb"|(?:A(?:SSWORD|SSWD|SSPHRASE)|WD)" + _VALUE,
    b"ecret": rb"(?:[_-]?(?:string|value|String|Value))?" + _VALUE,
    b"S": rb"ECRET(?:_STRING|_VALUE)?" + _VALUE,
    b"k": rb"en" + _VALUE + rb"|ey" + _KEY_VALUE,
    b"K": rb"EN" + _VALUE + rb"|(?:ey|EY)" + _KEY_VALUE,
    b"=": rb"""(?:(?<=[wW][dD]=)|(?<=[wW][oO][rR][dD]=))[^\s;"'&\\]""",
    b"://": rb"""[^\s/:@"']*:[^\s/@?#"']+@""",
}


def _pattern(piece: bytes) -> re.Pattern[bytes]:
    groups = (b"(?P<%b>%b)" % (name, given[piece]) for name, given in _GROUPS if piece in given)
    return re.compile(re.escape(piece) + b"(?:" + b"|".join(groups) + b")")


_GROUPS: Final = ((b"SHAPE", _SHAPES), (b"NAME", _NAMES))
_PROBES: Final = tuple((piece, _pattern(piece)) for piece in {**_NAMES, **_SHAPES})
# So many texts are searched at once: enough to make a call cheap, few enough for the processor's cache.
_BATCH: Final = 64
# A letter more frequent than once in so many bytes is left to the pattern's own search.
_RARE: Final = 20000


def suspects(texts: Sequence[Raw]) -> dict[int, Suspicion]:
    """The texts that may hold a secret, by their place in `texts` and in that order."""
    found: dict[int, Suspicion] = {}
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        joined = b"\n".join(batch)
        ends = list(accumulate(memoryview(text).nbytes + 1 for text in batch))
        for place, group in _hits(joined):
            number = start + bisect_right(ends, place)
            found[number] = found.get(number, Suspicion(0)) | Suspicion[group]
    return dict(sorted(found.items()))


def _hits(text: bytes) -> Iterator[tuple[int, str]]:
    """Where a probe hits, and which group of it."""
    for piece, pattern in _PROBES:
        if piece == b"://" and b"@" not in text:
            continue
        if len(piece) == 1 and text.count(piece) * _RARE > len(text):
            for match in pattern.finditer(text):
                yield match.start(), match.lastgroup or ""
            continue
        place = text.find(piece)
        while place >= 0:
            found = pattern.match(text, place)
            if found:
                yield place, found.lastgroup or ""
            place = text.find(piece, place + 1)
