"""Finds the members and elements of parts of a plan's JSON, and the parts to hide, without decoding values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from statefmt.formats.raw_json import Container, container_at, skip_space
from statefmt.lifecycle.plan import decode_part, has_true
from statefmt.pieces import Span


class JSONSpans:
    """A JSON text. The parts of what is no object or array are none."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def member(self, span: Span | None, name: str) -> Span | None:
        """Return the value of a member of an object."""
        return self.members(span).get(name)

    def members(self, span: Span | None) -> dict[str, Span]:
        """Return the values of an object by name. The last of repeated members counts."""
        return dict(self.all_members(span))

    def all_members(self, span: Span | None) -> Iterator[tuple[str, Span]]:
        """Yield the names and values of an object, repeated ones too."""
        container = self._container(span, b"{")
        yield from () if container is None else ((item.name, item.value) for item in container.items)

    def elements(self, span: Span | None) -> Iterable[Span]:
        """Return the elements of an array."""
        container = self._container(span, b"[")
        return () if container is None else [item.value for item in container.items]

    def decoded(self, span: Span | None) -> object:
        """Decode a value; None if there is none."""
        return None if span is None else decode_part(self.text[span.start : span.end])

    def hidden(self, span: Span | None, mask: object) -> Iterator[Span]:
        """Yield the parts of a value where the mask is true, and a part whose shape differs from that of its mask."""
        if span is None or not has_true(mask):
            return
        first = self.text[span.start : span.start + 1]
        if first == b"{" and isinstance(mask, dict):
            for name, part in self.all_members(span):
                yield from self.hidden(part, mask.get(name))
        elif first == b"[" and isinstance(mask, list) and len(elements := list(self.elements(span))) == len(mask):
            for part, each in zip(elements, mask, strict=True):
                yield from self.hidden(part, each)
        elif first != b"n":
            yield span

    def at(self, span: Span | None, places: Sequence[Sequence[str | int]]) -> Iterator[Span]:
        """Yield the values at the ends of paths, those of repeated members too; nothing for a path that is missing."""
        if span is None or not places:
            return
        if not all(places):
            yield span
            return
        below: dict[str | int, list[Sequence[str | int]]] = {}
        for first, *rest in places:
            below.setdefault(first, []).append(rest)
        for name, value in self.all_members(span):
            yield from self.at(value, below.get(name, ()))
        for place, value in enumerate(self.elements(span)):
            yield from self.at(value, below.get(place, ()))

    def constants(self, span: Span | None) -> Iterator[Span]:
        """Yield the values of all members `constant_value` in a value, but for those inside of others."""
        waiting = [] if span is None else [span]
        while waiting:
            part = waiting.pop()
            waiting += self.elements(part)
            for name, value in self.all_members(part):
                if name == "constant_value":
                    yield value
                else:
                    waiting.append(value)

    def _container(self, span: Span | None, opening: bytes) -> Container | None:
        if span is None:
            return None
        start = skip_space(self.text, span.start)
        is_wanted = self.text[start : start + 1] == opening
        return container_at(self.text, start, span.end) if is_wanted else None


def true_names(masks: Iterable[object]) -> frozenset[str]:
    """Return the attributes that are sensitive by a mask, or that have something sensitive in them."""
    return frozenset(name for mask in masks if isinstance(mask, dict) for name, part in mask.items() if has_true(part))
