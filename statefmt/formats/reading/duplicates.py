"""Reports duplicate members of an object: only the last one counts, so rewriting the file loses the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.raw_json.raw import in_batches
from statefmt.formats.raw_json.spans import RawItem, container_at, skip_space
from statefmt.formats.versions.v4 import ResourceV4, StateV4
from statefmt.golang import compact
from statefmt.model.codes import Code
from statefmt.model.findings import Finding

# Members kept as raw text or read by their own rules; duplicates inside stay in the file or are reported there.
_OPAQUE: Final = {
    4: frozenset({"attributes", "identity", "sensitive_attributes", "type", "value"}),
    3: frozenset({"config", "value"}),
}


def duplicate_members(data: bytes, version: int) -> Iterator[Finding]:
    """Yield a finding for each duplicate member in a state. `data` must be valid JSON."""
    if version == 4 and _repeats_nothing(data):
        return
    opaque = _OPAQUE[4 if version == 4 else 3]
    # A stack, not recursion: a file may nest deeper than Python's recursion limit.
    waiting = [(skip_space(data, 0), "")]
    while waiting:
        start, pointer = waiting.pop()
        opening = data[start : start + 1]
        inside: list[tuple[int, str]] = []
        if opening == b"[":
            items = container_at(data, start).items
            inside = [(item.value.start, f"{pointer}/{number}") for number, item in enumerate(items)]
        elif opening == b"{":
            seen = set()
            for name, _, _, value in container_at(data, start).items:
                place = f"{pointer}/{token(name)}"
                if name in seen:
                    yield _finding(name, pointer, place)
                seen.add(name)
                if name not in opaque:
                    inside.append((value.start, place))
        waiting += reversed(inside)


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
