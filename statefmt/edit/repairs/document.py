"""Reads single parts of a state that may not be loadable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Raw

from statefmt.analysis.selection.object_id import id_is_sensitive
from statefmt.formats.raw_json.pointer import token
from statefmt.formats.raw_json.spans import Container, container_at, value_at
from statefmt.formats.writing.changes import Path, member
from statefmt.golang import loads_exact
from statefmt.model.resources import ResourceInstanceObject
from statefmt.pieces import Span
from statefmt.redaction.hidden import HIDDEN

RESOURCES: Final = "resources"
_EMPTY: Final = Raw(b"{}")


class LooseDocument:
    """The parts of a JSON text by path; each object and array is split once, when it is needed.

    `show_sensitive` shows ids that are marked as sensitive.
    """

    def __init__(self, data: bytes, *, show_sensitive: bool = False) -> None:
        self.data = data
        self._show_sensitive = show_sensitive
        self._spans: dict[Path, Span | None] = {(): value_at(data)}
        self._containers: dict[Path, Container | None] = {}
        self._blocks: dict[str, list[Path]] = {}

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

    def resource_address(self, resource: Path) -> str:
        """Return the address of a block of `resources`, even if parts of it are invalid."""
        data = "data." if self.string((*resource, "mode")) == "data" else ""
        address = f"{data}{self.string((*resource, 'type'))}.{self.string((*resource, 'name'))}"
        module = self.string((*resource, "module"))
        return f"{module}.{address}" if module else address

    def blocks(self, address: str) -> list[Path]:
        """Return the blocks with the address of a resource, in file order."""
        if not self._blocks:
            for block in self.parts((RESOURCES,)):
                self._blocks.setdefault(self.resource_address(block), []).append(block)
        return self._blocks.get(address, [])

    def key(self, instance: Path) -> str:
        """Return the JSON text of an object's instance key; "" if it has none."""
        raw = (self.raw((*instance, "index_key")) or b"null").decode("utf-8", "replace")
        return "" if raw == "null" else raw.removesuffix(".0")

    def instance_address(self, instance: Path) -> str:
        """Return the address of an object's instance, with the deposed key in parentheses if it has one."""
        key, deposed = self.key(instance), self.string((*instance, "deposed"))
        address = self.resource_address(instance[:2]) + (f"[{key}]" if key else "")
        return f"{address} (deposed {deposed})" if deposed else address

    def object_id(self, instance: Path) -> str:
        """Return the attribute `id` of an object; "" if it has none."""
        return self.string((*instance, "attributes", "id")) or self.string((*instance, "attributes_flat", "id"))

    def shown_id(self, instance: Path) -> str:
        """Return the attribute `id` of an object as it may be shown; "" if it has none."""
        found = self.object_id(instance)
        if not found or self._show_sensitive:
            return found
        marks = self.raw((*instance, "sensitive_attributes")) or b"[]"
        marked = ResourceInstanceObject(attributes=_EMPTY, sensitive_attributes=b"[]" if marks == b"null" else marks)
        return str(HIDDEN) if id_is_sensitive(marked) else found

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
            item = member(container, name)
            return None if item is None else item.value
        if not name.isdecimal() or int(name) >= len(container.items):
            return None
        return container.items[int(name)].value

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
