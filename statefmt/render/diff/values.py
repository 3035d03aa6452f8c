"""Formats values that differ, each on one line and cut to the available width."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from statefmt.golang import JSONValue, Members, NumberText, quote
from statefmt.pairing import BlockPairing
from statefmt.redaction.partial import Hidden
from statefmt.render.printable import printable
from statefmt.render.values.hcl import name_text, value_text

if TYPE_CHECKING:
    from statefmt.lifecycle.schema import ProviderSchemas

_MARK: Final = "…"
TOO_DEEP: Final = "(nested too deeply to be shown)"
# How many common characters are shown before the first difference.
_CONTEXT: Final = 12


@dataclass(frozen=True, slots=True)
class Manner:
    """How to show values: `width` is the maximum length; `full` lays long ones out instead of cutting them.

    `short_names` maps the addresses of provider instances to names for where they are too long: addresses are not cut.
    `schemas` say which lists are sets. `pairing` pairs the blocks of all lists that are shown in a run.
    """

    show_sensitive: bool = False
    exact: bool = False
    full: bool = False
    width: int = 66
    short_names: Mapping[str, str] = field(default_factory=dict)
    schemas: ProviderSchemas | None = None
    pairing: BlockPairing = field(default_factory=BlockPairing, compare=False)


def shown(value: JSONValue, manner: Manner) -> str:
    """Format a value as an expression, on one line unless long values are shown in full."""
    try:
        text = printable(_inline(value))
        if manner.full and len(text) > manner.width:
            return value_text(value, depth=2)
    except RecursionError:
        return TOO_DEEP
    return text


def cut_pair(old: str, new: str, manner: Manner) -> tuple[str, str]:
    """Cut two strings so that both show where they start to differ."""
    if manner.full or max(len(old), len(new)) <= manner.width:
        return old, new
    unequal = (place for place, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    same = next(unequal, min(len(old), len(new)))
    longest = max(len(old), len(new))
    # Start shortly before the difference, or further back if the rest leaves room.
    start = min(same - _CONTEXT, longest - _room(longest, manner) + len(_MARK)) if same > manner.width // 2 else 0
    return cut(old, manner, max(0, start)), cut(new, manner, max(0, start))


def cut(text: str, manner: Manner, start: int = 0) -> str:
    """Cut a string from `start` on; mark each place where something is left out, and append the full length."""
    if manner.full or len(text) <= manner.width:
        return text
    before = _MARK if start else ""
    room = _room(len(text), manner) - len(before)
    after = _MARK if len(text) > start + room else ""
    return f"{before}{text[start : start + room - len(after)]}{after}{_size(len(text))}"


def _size(length: int) -> str:
    return f" ({length:,} characters)"


def _room(length: int, manner: Manner) -> int:
    """Return how many characters of a string that is too long fit beside its length."""
    return manner.width - len(_size(length))


def _inline(value: JSONValue) -> str:
    if isinstance(value, str):
        return str(value) if isinstance(value, (NumberText, Hidden)) else quote(value)
    if isinstance(value, Members):
        inside = ", ".join([f"{name_text(name)} = {_inline(part)}" for name, part in dict(value).items()])
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join([_inline(part) for part in value])}]"
    return "null" if value is None else "true" if value else "false"
