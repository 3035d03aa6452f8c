"""Reports duplicate members of an object: only the last one counts, so rewriting the file loses the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.raw_json.raw import in_batches
from statefmt.formats.raw_json.spans import RawItem, container_at, members_at, skip_space
from statefmt.formats.versions.v4 import ResourceV4, StateV4
from statefmt.golang import compact
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.pieces import Span

# Members kept as raw text or read by their own rules; duplicates inside stay in the file or are reported there.
_OPAQUE: Final = {
    4: frozenset({"attributes", "identity", "sensitive_attributes", "type", "value"}),
    3: frozenset({"config", "value"}),
}
# Parts that are decoded to see whether they repeat a member are no larger than this, to save memory, and no deeper in
# the file than the attributes of an object, so that no byte is decoded more often than that.
_LARGEST: Final = 4 << 20
_DEEPEST: Final = 8
_DECODER: Final = msgspec.json.Decoder(float_hook=lambda text: Raw(text.encode()))
# What Go escapes for the sake of HTML, as `\u003c`, and by how much it grows.
_ESCAPED: Final = (b"<", b">", b"&")
_ESCAPE_GROWS: Final = 5
_CONTAINERS: Final = (b"{", b"[")


def duplicate_members(data: bytes, version: int) -> Iterator[Finding]:
    """Yield a finding for each duplicate member in a state. `data` must be valid JSON."""
    if version == 4 and _repeats_nothing(data):
        return
    opaque = _OPAQUE[4 if version == 4 else 3]
    # A stack, not recursion: a file may nest deeper than Python's recursion limit.
    waiting = [(Span(skip_space(data, 0), len(data)), "", 0)]
    while waiting:
        (start, end), pointer, depth = waiting.pop()
        if end - start <= _LARGEST and depth <= _DEEPEST and _is_all_decoded(data[start:end]):
            continue
        inside: list[tuple[Span, str, int]] = []
        if data.startswith(b"{", start):
            seen = set()
            for name, value, after in members_at(data, start):
                if name in seen:
                    yield _finding(name, pointer, f"{pointer}/{token(name)}")
                seen.add(name)
                if data.startswith(_CONTAINERS, value) and name not in opaque:
                    inside.append((Span(value, after), f"{pointer}/{token(name)}", depth + 1))
        else:
            for number, item in enumerate(container_at(data, start, end).items):
                if data.startswith(_CONTAINERS, item.value.start):
                    inside.append((item.value, f"{pointer}/{number}", depth + 1))
        waiting += reversed(inside)


def _is_all_decoded(part: bytes) -> bool:
    """Return whether a part of the file certainly repeats no member; much faster than looking at each one.

    Decoding drops repeated members. Encoded again, nothing is longer than in the file without its white space, where
    floating-point numbers stay as they are. So if the length is the same, nothing was dropped.
    """
    try:
        shortest = msgspec.json.encode(_DECODER.decode(part))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
        # OverflowError: a number beyond 64 bits.
        return False
    text = compact(part)
    escapes = sum(shortest.count(sign) - text.count(sign) for sign in _ESCAPED)
    return len(shortest) + escapes * _ESCAPE_GROWS == len(text)


def _repeats_nothing(data: bytes) -> bool:
    """Return whether there are certainly no duplicate members; ten times as fast as checking each one.

    Needs little memory: resources are read a few at a time.
    """
    members = container_at(data).items
    if len({member.name for member in members}) < len(members):
        return False
    try:
        return all(_loses_nothing(part, type_) for member in members for part, type_ in _parts(data, member))
    except (msgspec.DecodeError, UnicodeError, RecursionError, OverflowError):
        # OverflowError: a number beyond 64 bits.
        return False


def _parts(data: bytes, member: RawItem) -> Iterator[tuple[bytes, Any]]:
    """Yield the text and the type of what is in a member of a state."""
    start, end = member.value
    opening = data[start : start + 1]
    if member.name == "resources" and opening == b"[":
        for batch in in_batches(msgspec.json.decode(memoryview(data)[start:end], type=list[Raw])):
            yield b"[%b]" % b",".join(batch), list[ResourceV4 | None]
    elif opening in (b"{", b"["):
        yield b'{"%b":%b}' % (member.name.encode(), data[start:end]), StateV4


def _loses_nothing(text: bytes, type_: Any) -> bool:
    """Return whether decoding a text certainly drops no member.

    The decoded value, encoded again, is never longer than the text without its white space, and shorter if decoding
    dropped a member. Only a floating-point number may grow, and an escape may shrink; but without a member, there are
    also fewer quotes.
    """
    text = compact(text)
    value = msgspec.json.decode(text, type=type_)
    shortest = msgspec.json.encode(value)
    if len(shortest) == len(text) and (type_ is StateV4 or not _has_float_key(value)):
        return True
    return shortest.count(b'"') == text.count(b'"') and b"\\u0022" not in text


def _has_float_key(resources: Sequence[ResourceV4 | None]) -> bool:
    return any(
        isinstance(obj.index_key, float)
        for resource in resources
        if resource
        for obj in resource.instances or ()
        if obj
    )


def _finding(name: str, parent: str, place: str) -> Finding:
    return Code.DUPLICATE_MEMBER.notice(
        "Duplicate member in state",
        f'The member "{name}" occurs more than once in its object ({parent or "at the top level"}). '
        "Only the last one counts; the others are lost when the file is written.",
        pointer=place,
        fix="Keep the correct one and remove the others, as with statetool edit.",
    )
