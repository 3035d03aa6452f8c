"""Finds the recorded states of the tests, and cuts parts out of them as they are in the file."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from statefmt.formats.raw_json import RawItem, container_at, value_at

Case: TypeAlias = Mapping[str, Any]

_DATA: Final = Path(__file__).parents[2] / "tests" / "conformance"
_WIDTH: Final = 100


@cache
def states() -> Mapping[str, Case]:
    """Return what OpenTofu was seen to do with each state, by name."""
    return _recorded("read.jsonl.xz")


@cache
def releases() -> Mapping[str, Case]:
    """Return what older releases were seen to lose of each state, by name."""
    return _recorded("releases.jsonl.xz")


def find(start: str) -> Case:
    """Return the recorded state whose name starts so: `v3-upgrade/043`. Raises LookupError if there is not one."""
    found = [case for name, case in states().items() if name == start or name.startswith(f"{start}-")]
    if len(found) != 1:
        raise LookupError(f"{len(found)} recorded cases are called {start}")
    return found[0]


def read(case: Case) -> bytes:
    """Return the bytes of the state file."""
    return base64.b64decode(case["input_b64"]) if "input_b64" in case else str(case["input"]).encode()


def written(case: Case) -> bytes | None:
    """Return what OpenTofu wrote; None if it refused the state."""
    if "output_b64" in case:
        return base64.b64decode(case["output_b64"])
    return None if case["output"] is None else str(case["output"]).encode()


def part(text: bytes, pointer: str) -> bytes | None:
    """Return the JSON text that a pointer leads to, as it is in the file; None if it leads nowhere.

    A `*` in a pointer stands for all elements of a list: the result is a list, with null where one has nothing there.
    A pointer that ends in `/#` gives the names of the members of an object.
    """
    tokens = pointer.split("/")[1:]
    for number, token in enumerate(tokens, 1):
        if token == "*":
            rest = "".join(f"/{later}" for later in tokens[number:])
            elements = [text[item.value.start : item.value.end] for item in container_at(text).items]
            return b"[%b]" % b", ".join(part(element, rest) or b"null" for element in elements)
        if token == "#":
            return b"[%b]" % b", ".join(_name(text, item) for item in container_at(text).items)
        if not text.lstrip().startswith((b"{", b"[")):
            return None
        name = token.replace("~1", "/").replace("~0", "~")
        container = container_at(text)
        is_object = text[container.span.start : container.span.start + 1] == b"{"
        found = container.find(name) if is_object else _element(container.items, name)
        if found is None:
            return None
        text = text[found.value.start : found.value.end]
    span = value_at(text)
    return text[span.start : span.end]


def on_one_line(text: bytes) -> str:
    """Return a JSON text with the white space that people use on one line."""
    if text[:1] not in (b"{", b"["):
        return text.decode("utf-8", "backslashreplace")
    return text[:1].decode() + ", ".join(_items(text)) + text[-1:].decode()


def laid_out(text: bytes, indent: str = "") -> str:
    """Return a JSON text with each object and list on one line where it fits."""
    line = on_one_line(text)
    if text[:1] not in (b"{", b"[") or len(indent) + len(line) <= _WIDTH:
        return line
    inner = indent + "  "
    lines = []
    for item in container_at(text).items:
        value = laid_out(text[item.value.start : item.value.end], inner)
        lines.append(f"{inner}{_label(text, item)}{value}")
    return f"{text[:1].decode()}\n" + ",\n".join(lines) + f"\n{indent}{text[-1:].decode()}"


def _items(text: bytes) -> Sequence[str]:
    items = []
    for item in container_at(text).items:
        value = on_one_line(text[item.value.start : item.value.end])
        items.append(f"{_label(text, item)}{value}")
    return items


def _name(text: bytes, item: RawItem) -> bytes:
    """Return the name of a member as it is in the file, with its quotes; b"" for an element of a list."""
    return text[item.whole.start : item.value.start].strip().removesuffix(b":").strip()


def _label(text: bytes, item: RawItem) -> str:
    name = _name(text, item).decode("utf-8", "backslashreplace")
    return f"{name}: " if name else ""


def _element(items: Sequence[RawItem], name: str) -> RawItem | None:
    return items[int(name)] if name.isdigit() and int(name) < len(items) else None


def _recorded(name: str) -> Mapping[str, Case]:
    lines = lzma.decompress((_DATA / name).read_bytes()).splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}
