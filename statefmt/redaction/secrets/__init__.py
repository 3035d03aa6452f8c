"""Recognises secrets in attributes and outputs: what the SEC rules report, and what is hidden without a mark.

Few values are decoded: a cheap search over the bytes of the others finds no probe in them. Each probe is a literal and
a pattern for what may follow it. The literals are cheap to search for: if possible, a letter that is rare in states.
Probes are looser than the shapes and names in `search`, which decide in the end, and must match whatever those match.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import in_batches
from statefmt.golang import encode_string, loads_exact
from statefmt.redaction.secrets.known import known_secrets, known_traces
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.redaction.secrets.search import FoundSecret


# In a name, an escape may hide a trace.
_ESCAPE: Final = b"\\u"


class TypedAttributes(NamedTuple):
    """The attributes of an object as JSON, flat ones as an object of strings, and the type of its resource."""

    type_name: str
    text: Raw
    is_flat: bool = False


def typed_attributes(type_name: str, attributes: Raw | None, flat: Mapping[str, str | None] | None) -> TypedAttributes:
    """Return the attributes of an object; `flat` are the flat ones if `attributes` is None."""
    if attributes is not None:
        return TypedAttributes(type_name, attributes)
    return TypedAttributes(type_name, Raw(msgspec.json.encode(flat or {})), is_flat=True)


def suspected_objects(objects: Sequence[TypedAttributes]) -> list[int]:
    """Return the indexes of objects that may have secrets, in order."""
    found = set(suspects([each.text for each in objects]))
    found.update(place for place, each in enumerate(objects) if _has_trace(each))
    return sorted(found)


def is_suspected(attributes: TypedAttributes) -> bool:
    """Return whether the attributes of an object may have secrets."""
    return is_suspect(attributes.text) or _has_trace(attributes)


def secrets_of_object(attributes: TypedAttributes) -> tuple[FoundSecret, ...]:
    """Return the secrets in the attributes of an object. Raises ValueError if they nest too deeply."""
    # Imported late: compiling its patterns takes as long as checking some dozens of states.
    from statefmt.redaction.secrets.search import attribute_secrets

    value = loads_exact(bytes(attributes.text), replace_invalid=True)
    return attribute_secrets(value, known_secrets(attributes.type_name), is_flat=attributes.is_flat)


def known_attributes(type_name: str) -> frozenset[str]:
    """Return the attributes of a resource type that are known to be secret, or to have something secret in them."""
    return frozenset(one.names[0] for one in known_secrets(type_name))


def suspected_outputs(outputs: Sequence[tuple[str, Raw]]) -> Iterator[int]:
    """Yield the indexes of outputs that may have secrets, in order; `outputs` are names and values."""
    return suspects([_member(name, value) for name, value in outputs])


def is_suspected_output(name: str, value: Raw) -> bool:
    """Return whether the value of an output may have secrets."""
    return is_suspect(_member(name, value))


def _member(name: str, value: Raw) -> Raw:
    """Return an output as the only member of an object, for the search over bytes."""
    return Raw(b"{%b:%b}" % (encode_string(name), value))


def secrets_of_output(name: str, value: Raw) -> tuple[FoundSecret, ...]:
    """Return the secrets in the value of an output. Raises ValueError if it nests too deeply."""
    from statefmt.redaction.secrets.search import secrets_in

    return tuple(secrets_in(loads_exact(bytes(value), replace_invalid=True), name))


def _has_trace(each: TypedAttributes) -> bool:
    traces = known_traces(each.type_name)
    if not traces:
        return False
    text = bytes(each.text)
    return each.is_flat or any(trace in text for trace in traces) or _ESCAPE in text


# After a name: a non-empty string, possibly in an entry {"name": "DB_PASSWORD", "value": "…"}, possibly in JSON inside
# a string.
_VALUE: Final = rb'\\*"\s*(?::|,\s*\\*"[vV]alue\\*"\s*:)\s*\\*"(?!\\*"|arn:)'
_KEY_VALUE: Final = rb"(?<=[A-Za-z_. -].{3})" + _VALUE + rb'[^"\s]{12}'

# What may follow each literal: the rest of a secret with a known shape, or of the name of one and its value.
_RESTS: Final = {
    b"p": (rb"at-[A-Za-z0-9_-]{20}", rb"m_[A-Za-z0-9]{36}", rb"a(?:ssword|sswd|ssphrase)" + _VALUE, rb"wd" + _VALUE),
    b"P": (
        rb"a(?:ssword|sswd|ssphrase)" + _VALUE,
        rb"wd" + _VALUE,
        rb"A(?:SSWORD|SSWD|SSPHRASE)" + _VALUE,
        rb"WD" + _VALUE,
    ),
    b"I": (rb"A(?<=A[KS]IA)[A-Z2-7]{16}", rb"(?<=AI)za[0-9A-Za-z_-]{35}"),
    b"S": (rb"G\.[A-Za-z0-9_-]{22}\.", rb"5vcmc", rb"ECRET(?:_STRING|_VALUE)?" + _VALUE),
    b"ecret": (rb"(?:[_-]?(?:string|value|String|Value))?" + _VALUE,),
    b"k": (rb"_live_", rb"-ant-", rb"en" + _VALUE, rb"ey" + _KEY_VALUE),
    b"K": (
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
    b"~": (rb"(?<=Q~)",),
    b"=": (rb"(?<=sig=)", rb"""(?:(?<=[wW][dD]=)|(?<=[wW][oO][rR][dD]=))[^\s;"'&\\]"""),
}
# The patterns avoid groups where possible: groups keep `re` from checking the next byte first.
_PROBES: Final = tuple((piece, pattern(piece + b"(?:" + b"|".join(rests) + b")")) for piece, rests in _RESTS.items())
# All at once, for a short text, of which only the answer matters.
_ANY: Final = pattern(b"|".join(piece + b"(?:" + b"|".join(rests) + b")" for piece, rests in _RESTS.items()))
# A URL with a password is found from its @, which is rarer than the start of a URL.
_URL_PASSWORD: Final = pattern(rb"""://[^\s/:@"']*:[^\s/@?#"']+@""")
_LONGEST_URL: Final = 256

# Where a letter comes more often than once in so many bytes, a regular expression is faster than a loop.
_DENSE: Final = 500
_FIRST_HOPS: Final = 16

# In base64, each letter is frequent, but secrets consist of more than its characters, except for these.
_BASE64: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\\"
_IN_BASE64: Final = dict(_PROBES)[b"I"]
_ENCODED: Final = (b"LS0tLS1CRUdJTiB", b"ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCI")
# Strings shorter than this are searched as they are. Of longer base64, both ends stay: secrets may begin or end there.
_LONG: Final = 4096
_END: Final = 64
_SAMPLE: Final = 64


def suspects(texts: Sequence[Raw]) -> Iterator[int]:
    """Yield the indexes of texts that may contain a secret, in order."""
    start = 0
    shortened = (text if len(text) < _LONG else _without_base64(text) for text in texts)
    for batch in in_batches(shortened):
        places = _places(b"\n".join(batch))
        if places:
            ends = list(accumulate(len(text) + 1 for text in batch))
            yield from sorted({start + bisect_right(ends, place) for place in places})
        start += len(batch)


def is_suspect(text: Raw) -> bool:
    """Return whether suspects() yields a text; this is faster for a single short one."""
    if len(text) >= _LONG:
        return any(True for _ in suspects((text,)))
    given = bytes(text)
    return _ANY.search(given) is not None or (b"@" in given and any(True for _ in _url_passwords(given)))


def _without_base64(text: Raw) -> Raw | bytes:
    """Shorten long strings of base64 in which there is certainly no secret, if the text has many."""
    if len(bytes(memoryview(text)[::_SAMPLE]).translate(None, _BASE64)) * _SAMPLE * 8 > len(text):
        return text
    return b'"'.join(
        string if len(string) < _LONG or _may_have_secret(string) else string[:_END] + b"\n" + string[-_END:]
        for string in bytes(text).split(b'"')
    )


def _may_have_secret(string: bytes) -> bool:
    """Return whether a string is more than base64, or has the start of a secret that consists of such characters."""
    return bool(
        string.rstrip(b"=").translate(None, _BASE64)
        or any(start in string for start in _ENCODED)
        or _IN_BASE64.search(string)
    )


def _places(text: bytes) -> set[int]:
    """Return the positions where a probe matches."""
    found: set[int] = set()
    for piece, probe in _PROBES:
        found.update(_hop(text, piece, probe))
    if b"@" in text:
        found.update(_url_passwords(text))
    return found


def _hop(text: bytes, piece: bytes, probe: re.Pattern[bytes]) -> Iterator[int]:
    """Yield the positions where a probe matches, going from one literal to the next as long as that is rare."""
    find, match = text.find, probe.match
    place = find(piece)
    hops = 0
    while place >= 0:
        if match(text, place):
            yield place
        hops += 1
        if (hops - _FIRST_HOPS) * _DENSE > place and len(piece) == 1:
            yield from [found.start() for found in probe.finditer(text, place + 1)]
            return
        place = find(piece, place + 1)


def _url_passwords(text: bytes) -> Iterator[int]:
    """Yield the positions of URLs with a password."""
    place = text.find(b"@")
    while place >= 0:
        start = text.rfind(b"://", max(0, place - _LONGEST_URL), place)
        found = _URL_PASSWORD.match(text, start) if start >= 0 else None
        if found:
            yield start
        place = text.find(b"@", place + 1)
