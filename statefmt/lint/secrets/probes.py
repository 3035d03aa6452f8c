"""Selects the JSON values that may contain a secret by a cheap search over their bytes, so that few need decoding.

Each probe is a literal and a pattern for what may follow it. The literals are cheap to search for: if possible, a
letter that is rare in states. Probes are looser than `_shapes` and `_names`, which decide in the end, and must match
whatever those match.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from msgspec import Raw

from statefmt.text.pattern import pattern

# After a name: a non-empty string, possibly in an entry {"name": "DB_PASSWORD", "value": "…"}, possibly in JSON inside
# a string.
_VALUE: Final = rb'\\*"\s*(?::|,\s*\\*"[vV]alue\\*"\s*:)\s*\\*"(?!\\*"|arn:)'
_KEY_VALUE: Final = rb"(?<=[A-Za-z_. -].{3})" + _VALUE + rb'[^"\s]{12}'
_PASSWORD: Final = rb"a(?:ssword|sswd|ssphrase)" + _VALUE + rb"|wd" + _VALUE

# What may follow each literal: the rest of a secret with a known shape, or of the name of one and its value.
_RESTS: Final = {
    b"p": (rb"at-[A-Za-z0-9_-]{20}", rb"m_[A-Za-z0-9]{36}", rb"a(?:ssword|sswd|ssphrase)" + _VALUE, rb"wd" + _VALUE),
    b"P": (
        rb"a(?:ssword|sswd|ssphrase)" + _VALUE,
        rb"wd" + _VALUE,
        rb"A(?:SSWORD|SSWD|SSPHRASE)" + _VALUE,
        rb"WD" + _VALUE,
    ),
    b"S": (rb"IA[A-Z2-7]{16}", rb"G\.[A-Za-z0-9_-]{22}\.", rb"5vcmc", rb"ECRET(?:_STRING|_VALUE)?" + _VALUE),
    b"ecret": (rb"(?:[_-]?(?:string|value|String|Value))?" + _VALUE,),
    b"k": (rb"_live_", rb"-ant-", rb"en" + _VALUE, rb"ey" + _KEY_VALUE),
    b"K": (
        rb"IA[A-Z2-7]{16}",
        rb"EN" + _VALUE,
        rb"EY(?:-----|-1| BLOCK)",
        rb"EY" + _KEY_VALUE,
        rb"ey" + _KEY_VALUE,
        rb"ey=[A-Za-z0-9+/]{43}",
        rb"ey-File-",
    ),
    b"h": (rb"[pousr]_[A-Za-z0-9]{36}", rb"ub_pat_", rb"v[bsr]\.[A-Za-z0-9_-]{24}", rb"ooks\.slack\.com/"),
    b"x": (rb"ox[abeoprs]-",),
    b"J": (rb"(?<=\.eyJ)", rb"TiB[FPQS]", rb"0eXBlIjogInNlcnZpY2Vf", rb"(?<=T3BlbkFJ)"),
    b"z": (rb"a[0-9A-Za-z_-]{35}",),
    b"~": (rb"(?<=Q~)",),
    b"=": (rb"(?<=sig=)", rb"""(?:(?<=[wW][dD]=)|(?<=[wW][oO][rR][dD]=))[^\s;"'&\\]"""),
}
# The patterns avoid groups where possible: groups keep `re` from checking the next byte first.
_PROBES: Final = tuple((piece, pattern(piece + b"(?:" + b"|".join(rests) + b")")) for piece, rests in _RESTS.items())
# A URL with a password is found from its @, which is rarer than the start of a URL.
_URL_PASSWORD: Final = pattern(rb"""://[^\s/:@"']*:[^\s/@?#"']+@""")
_LONGEST_URL: Final = 256

# Letters so frequent that a regular expression is faster than a loop. Others can be as frequent in base64.
_FREQUENT: Final = frozenset({b"p", b"k", b"h", b"x"})
_HOPS: Final = 500
# Values searched at once: enough to make calls cheap, few enough for the processor's cache.
_BATCH: Final = 64


def suspects(texts: Sequence[Raw]) -> Iterator[int]:
    """Yield the indexes in `texts` of those that may contain a secret, in order."""
    for start in range(0, len(texts), _BATCH):
        batch = texts[start : start + _BATCH]
        places = _places(b"\n".join(batch))
        if places:
            ends = list(accumulate(memoryview(text).nbytes + 1 for text in batch))
            yield from sorted({start + bisect_right(ends, place) for place in places})


def _places(text: bytes) -> set[int]:
    """Return the positions where a probe matches."""
    found: set[int] = set()
    for piece, probe in _PROBES:
        if piece in _FREQUENT:
            found.update([hit.start() for hit in probe.finditer(text)])
        elif (first := text.find(piece)) >= 0:
            found.update(_hop(text, piece, probe, first))
    if b"@" in text:
        found.update(_url_passwords(text))
    return found


def _hop(text: bytes, piece: bytes, probe: re.Pattern[bytes], place: int) -> Iterator[int]:
    """Yield the positions where a probe matches, going from one literal to the next, starting at `place`."""
    find, match = text.find, probe.match
    hops = 0
    while place >= 0:
        if match(text, place):
            yield place
        place = find(piece, place + 1)
        hops += 1
        if hops == _HOPS and len(piece) == 1 and place >= 0:
            yield from (found.start() for found in probe.finditer(text, place))
            return


def _url_passwords(text: bytes) -> Iterator[int]:
    """Yield the positions of URLs with a password."""
    place = text.find(b"@")
    while place >= 0:
        start = text.rfind(b"://", max(0, place - _LONGEST_URL), place)
        found = _URL_PASSWORD.match(text, start) if start >= 0 else None
        if found:
            yield start
        place = text.find(b"@", place + 1)
