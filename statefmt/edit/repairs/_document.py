"""Reads single parts of a state that may not be loadable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from statefmt.formats.raw_json import Container, container_at, token, value_at
from statefmt.formats.writing.changes import JsonPath, NamedItems
from statefmt.golang import fold_name, loads_exact
from statefmt.pieces import Span


class LooseDocument:
    """The parts of a JSON text by path; each object and array is split once, when it is needed."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._repeated: dict[JsonPath, frozenset[str]] = {}
        self._once_only: dict[tuple[JsonPath, bool], bytes] = {}
        self._spans: dict[JsonPath, Span | None] = {(): value_at(data)}
        self._containers: dict[JsonPath, Container | None] = {}
        self._names: dict[JsonPath, NamedItems] = {}

    def raw(self, path: JsonPath) -> bytes | None:
        """Return the text of a part; None if it does not exist."""
        span = self._span(path)
        return None if span is None else self.data[span.start : span.end]

    def string(self, path: JsonPath) -> str:
        """Return a string; "" if the part is missing or not a string."""
        raw = self.raw(path) or b""
        return str(loads_exact(raw, replace_invalid=True)) if raw.startswith(b'"') else ""

    def is_array(self, path: JsonPath) -> bool:
        """Return whether a part is an array."""
        span = self._span(path)
        return span is not None and self.data[span.start : span.start + 1] == b"["

    def parts(self, path: JsonPath) -> Iterator[JsonPath]:
        """Yield the paths of the elements of an array; nothing if it is not an array."""
        container = self._container(path) if self.is_array(path) else None
        if container is not None:
            for number in range(len(container.items)):
                yield (*path, str(number))

    def names(self, path: JsonPath) -> list[str]:
        """Return the names of the members of an object; none if it does not exist."""
        container = self._container(path)
        return [] if container is None else [item.name for item in container.items]

    def repeated(self, path: JsonPath) -> JsonPath | None:
        """Return the first part on the way to a path whose name several members of its object have."""
        for length in range(1, len(path) + 1):
            parent, name = path[: length - 1], path[length - 1]
            if (name if _is_map(parent) else fold_name(name)) in self._repeated_names(parent):
                return path[:length]
        return None

    def once_only(self, path: JsonPath, *, last: bool) -> bytes:
        """Return the text of an object with only the last, or the first, of the members with one name."""
        if (path, last) not in self._once_only:
            self._once_only[path, last] = self._without_repeated(path, last)
        return self._once_only[path, last]

    def _without_repeated(self, path: JsonPath, last: bool) -> bytes:
        container = self._container(path)
        assert container is not None
        names = [item.name if _is_map(path) else fold_name(item.name) for item in container.items]
        numbers = range(len(names))
        kept = {names[number]: number for number in (numbers if last else reversed(numbers))}
        pieces = [b"{"]
        for number in sorted(kept.values()):
            item = container.items[number]
            before = item.before if len(pieces) > 1 else container.items[0].before
            pieces += [self.data[before.start : before.end], self.data[item.whole.start : item.whole.end]]
        return b"".join([*pieces, self.data[container.after.start : container.after.end], b"}"])

    def _repeated_names(self, path: JsonPath) -> frozenset[str]:
        if path not in self._repeated:
            found = Counter(name if _is_map(path) else fold_name(name) for name in self._member_names(path))
            self._repeated[path] = frozenset(name for name, number in found.items() if number > 1)
        return self._repeated[path]

    def _member_names(self, path: JsonPath) -> list[str]:
        span = self._span(path)
        is_object = span is not None and self.data[span.start : span.start + 1] == b"{"
        return self.names(path) if is_object else []

    def _span(self, path: JsonPath) -> Span | None:
        if path not in self._spans:
            self._spans[path] = self._find(path)
        return self._spans[path]

    def _find(self, path: JsonPath) -> Span | None:
        container = self._container(path[:-1])
        if container is None:
            return None
        name = path[-1]
        if self.data[container.span.start : container.span.start + 1] == b"{":
            item = self._named(path[:-1], container).find(name)
            return None if item is None else item.value
        if not name.isdecimal() or int(name) >= len(container.items):
            return None
        return container.items[int(name)].value

    def _named(self, path: JsonPath, container: Container) -> NamedItems:
        if path not in self._names:
            self._names[path] = NamedItems(container)
        return self._names[path]

    def _container(self, path: JsonPath) -> Container | None:
        if path not in self._containers:
            span = self._span(path)
            opens = b"" if span is None else self.data[span.start : span.start + 1]
            is_container = span is not None and opens in (b"{", b"[")
            self._containers[path] = container_at(self.data, span.start, span.end) if span and is_container else None
        return self._containers[path]


def _is_map(path: JsonPath) -> bool:
    """Return whether the names in an object are data: those of outputs, and of resources in versions 1 to 3.

    Others are compared as Go does, in any case.
    """
    return path[-1:] in (("outputs",), ("resources",))


def pointer(path: JsonPath) -> str:
    """Return a path as a JSON pointer."""
    return "".join(f"/{token(name)}" for name in path)


def path_of(text: str) -> JsonPath:
    """Return a JSON pointer as a path."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])
