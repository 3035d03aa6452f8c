"""Formats paths into values as OpenTofu's messages show them."""

from __future__ import annotations

from statefmt.golang import quote
from statefmt.model.cty import CtyValue, GetAttr, Number, Path
from statefmt.model.cty.data import UnknownData
from statefmt.model.cty.decimals import format_digits
from statefmt.model.cty.number import from_int


def formatted_path(path: Path) -> str:
    """Return `.rule[0].tags["a"]`, with `[...]` for an element of a set. Source: OpenTofu `tfdiags.FormatCtyPath`."""
    return "".join(f".{step.name}" if isinstance(step, GetAttr) else f"[{_key(step.key)}]" for step in path)


def _key(key: str | int | CtyValue) -> str:
    data = key.data if isinstance(key, CtyValue) else key
    if data is None:
        return "null"
    if isinstance(data, UnknownData):
        return "(not yet known)"
    if isinstance(data, Number):
        return format_digits(data)
    if isinstance(data, int) and not isinstance(data, bool):
        return format_digits(from_int(data))
    return quote(data) if isinstance(data, str) else "..."
