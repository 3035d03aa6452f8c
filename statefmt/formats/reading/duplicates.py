"""Members that stand twice in one object: only the last one counts, so rewriting the file loses the others."""

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

# What is kept as raw text, or read whole by its own rules; whatever repeats inside stays in the file or is told there.
_OPAQUE: Final = {
    4: frozenset({"attributes", "identity", "sensitive_attributes", "type", "value"}),
    3: frozenset({"config", "value"}),
}


def duplicate_members(data: bytes, version: int) -> Iterator[Finding]:
    """One finding for each member of a state that is repeated in its object. `data` is valid JSON."""
    if version == 4 and _repeats_nothing(data):
        return
    opaque = _OPAQUE[4 if version == 4 else 3]
    # A stack and no recursion: a file may nest deeper than Python can.
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
    """Whether it is certain that no member is repeated; it takes a tenth of the time of looking at each one.

    What is read, written again in the fewest bytes, is never longer than the file without its white space, and
    shorter by every member that does not count. Only a floating-point number may grow.
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
        f'The member "{name}" stands more than once in its object ({parent or "at the top level"}). '
        "Only the last one counts; the others are lost when the file is written.",
        pointer=place,
        fix="Keep the right one and remove the others by hand.",
    )
