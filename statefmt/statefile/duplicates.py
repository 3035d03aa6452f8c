"""Members that stand twice in one object: only the last one counts, so rewriting the file loses the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from statefmt import codes
from statefmt.diagnostics import Finding, Severity
from statefmt.statefile.pointer import token
from statefmt.statefile.spans import container_at, skip_space

# What is kept as raw text, or read whole by its own rules; whatever repeats inside stays in the file or is told there.
_OPAQUE: Final = {
    4: frozenset({"attributes", "identity", "sensitive_attributes", "type", "value"}),
    3: frozenset({"config", "value"}),
}


def duplicate_members(data: bytes, version: int) -> Iterator[Finding]:
    """One finding for each member of a state that is repeated in its object. `data` is valid JSON."""
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


def _finding(name: str, parent: str, place: str) -> Finding:
    return Finding(
        codes.DUPLICATE_MEMBER,
        Severity.INFO,
        "Duplicate member in state",
        f'The member "{name}" stands more than once in its object ({parent or "at the top level"}). '
        "Only the last one counts; the others are lost when the file is written.",
        pointer=place,
        fix="Keep the right one and remove the others by hand.",
    )
