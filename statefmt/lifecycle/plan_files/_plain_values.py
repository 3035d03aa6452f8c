"""Encodes values of a plan without a schema directly, ten times as fast as by their cty types.

Only for values that JSON has, too: without dynamic types, which are binary, and without fractions, which cty formats in
its own way. Most values of providers are such values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from statefmt.golang import escape_html
from statefmt.lifecycle.plan_files._msgpack import decode
from statefmt.lifecycle.plan_files._shown_values import SensitiveShape, ShownValue, UnknownShape
from statefmt.model.cty.data import GetAttr, Path, UnknownData
from statefmt.text import pattern

# The first bytes of binary strings, fractions and times in msgpack. Within strings, they only cost time.
_OTHERS: Final = pattern(rb"[\xc4-\xc6\xca\xcb\xd5-\xd8]|\xc7\x0c\xff")
_NOTHING: Final = object()
_CONTAINERS: Final = (dict, list)
_PARTED: Final = (dict, list, UnknownData)


def plain_value(data: bytes, sensitive: Iterable[Path]) -> ShownValue | None:
    """Show a value that is sensitive at some paths; None if that takes its type. Raises PlanError."""
    if _OTHERS.search(data):
        return None
    node = decode(data)
    known, unknown = _split(node)
    shape = _sensitive(node)
    for path in sensitive:
        shape = _with_path(shape, node, path)
    text = None if known is _NOTHING else escape_html(msgspec.json.encode(known, order="sorted"))
    return ShownValue(text, {} if known is node else unknown, shape)


def _split(node: Any) -> tuple[Any, UnknownShape]:
    """Return the known part, which is the node itself if all of it is known, and the shape of what is unknown."""
    if isinstance(node, dict):
        parts = {name: _split(item) for name, item in node.items() if isinstance(item, _PARTED)}
        shapes: dict[str, UnknownShape] = {name: shape for name, (_, shape) in parts.items() if shape is not False}
        if all(part is node[name] for name, (part, _) in parts.items()):
            return node, shapes
        known = node | {name: part for name, (part, _) in parts.items()}
        return {name: item for name, item in known.items() if item is not _NOTHING}, shapes
    if isinstance(node, list):
        pairs = [_split(item) if isinstance(item, _PARTED) else (item, False) for item in node]
        shape: UnknownShape = [each for _, each in pairs]
        if all(part is item for (part, _), item in zip(pairs, node, strict=True)):
            return node, shape
        # The place of an element counts.
        return [None if part is _NOTHING else part for part, _ in pairs], shape
    return (_NOTHING, True) if isinstance(node, UnknownData) else (node, False)


def _sensitive(node: Any) -> SensitiveShape:
    if isinstance(node, dict):
        return {name: _sensitive(item) for name, item in node.items() if isinstance(item, _CONTAINERS)}
    return [_sensitive(item) for item in node] if isinstance(node, list) else False


def _with_path(shape: SensitiveShape, node: Any, path: Path) -> SensitiveShape:
    """Return the shape with the part at a path, or what contains it, as sensitive.

    The part may be null or unknown, as in located().
    """
    keys: list[str | int] = []
    for step in path:
        if not isinstance(node, _CONTAINERS):
            return shape
        key = step.name if isinstance(step, GetAttr) else step.key
        is_member = isinstance(node, dict) and isinstance(key, str) and key in node
        if not (is_member or (isinstance(node, list) and isinstance(key, int) and 0 <= key < len(node))):
            break
        assert isinstance(key, (str, int))
        node = node[key]  # type: ignore[index]  # the kind of the key was checked
        keys.append(key)
    inner: Any = shape
    for name in keys[:-1]:
        inner = inner if inner is True else inner[name]
    if inner is True or not keys:
        return shape if keys else True
    inner[keys[-1]] = True
    return shape
