"""Reads single parts of a state that may not be loadable."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.raw_json.spans import Container, container_at, value_at
from statefmt.formats.writing.changes import NamedItems, Path
from statefmt.golang import loads_exact
from statefmt.pieces import Span


class LooseDocument:
    """The parts of a JSON text by path; each object and array is split once, when it is needed."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._spans: dict[Path, Span | None] = {(): value_at(data)}
        self._containers: dict[Path, Container | None] = {}
        self._names: dict[Path, NamedItems] = {}

    def raw(self, path: Path) -> bytes | None:
        """Return the text of a part; None if it does not exist."""
        span = self._span(path)
        return None if span is None else self.data[span.start : span.end]

    def string(self, path: Path) -> str:
        """Return a string; "" if the part is missing or not a string."""
        raw = self.raw(path) or b""
        return str(loads_exact(raw, replace_invalid=True)) if raw.startswith(b'"') else ""

    def parts(self, path: Path) -> Iterator[Path]:
        """Yield the paths of the elements of an array; nothing if it is not an array."""
        container = self._container(path)
        if container is not None and self.data[container.span.start : container.span.start + 1] == b"[":
            for number in range(len(container.items)):
                yield (*path, str(number))

    def names(self, path: Path) -> list[str]:
        """Return the names of the members of an object; none if it does not exist."""
        container = self._container(path)
        return [] if container is None else [item.name for item in container.items]

    def _span(self, path: Path) -> Span | None:
        if path not in self._spans:
            self._spans[path] = self._find(path)
        return self._spans[path]

    def _find(self, path: Path) -> Span | None:
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

    def _named(self, path: Path, container: Container) -> NamedItems:
        if path not in self._names:
            self._names[path] = NamedItems(container)
        return self._names[path]

    def _container(self, path: Path) -> Container | None:
        if path not in self._containers:
            span = self._span(path)
            opens = b"" if span is None else self.data[span.start : span.start + 1]
            is_container = span is not None and opens in (b"{", b"[")
            self._containers[path] = container_at(self.data, span.start, span.end) if span and is_container else None
        return self._containers[path]


def pointer(path: Path) -> str:
    """Return a path as a JSON pointer."""
    return "".join(f"/{token(name)}" for name in path)


def path_of(text: str) -> Path:
    """Return a JSON pointer as a path."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])
