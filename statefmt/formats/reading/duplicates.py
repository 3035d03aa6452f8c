"""Reports duplicate members of an object: only the last one counts, so rewriting the file loses the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.raw_json.spans import container_at, skip_space
from statefmt.formats.versions.v4 import StateV4
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

    The decoded document, encoded again, is never longer than the file without its white space, and shorter if
    decoding dropped a member. Only a floating-point number may grow.
    """
    text = compact(data)
    try:
        document = msgspec.json.decode(text, type=StateV4)
        shortest = msgspec.json.encode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
        # OverflowError: a number beyond 64 bits.
        return False
    if len(shortest) < len(text):
        return False
    return not any(
        isinstance(obj.index_key, float)
        for resource in document.resources or ()
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
