"""Formats and parses paths into values: `rule[0].tags["a b"]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from statefmt.model.addrs.instance_key import IntKey, StringKey
from statefmt.model.addrs.quoting import hcl_quote
from statefmt.model.addrs.traversal import Attr, parse_traversal
from statefmt.model.cty import CtyValue, GetAttr
from statefmt.model.cty.steps import PathStep
from statefmt.model.errors import AddressError, SelectionError
from statefmt.text.pattern import pattern

_PLAIN: Final = pattern(r"[A-Za-z_][A-Za-z0-9_-]*")
# `[*]` outside of quotes, or what is between two of them.
_EVERY: Final = pattern(r'\[\*\]|((?:"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(?!\[\*\]).)+)', re.DOTALL)
# Prepended to a path that begins with a bracket, since traversals must begin with a name.
_ROOT: Final = "_"


def step_key(step: PathStep) -> str | int | CtyValue:
    """Return the attribute name or the key of a step."""
    return step.name if isinstance(step, GetAttr) else step.key


def path_text(steps: Sequence[str | int]) -> str:
    """Format steps as a path: `rule[0].tags["a b"]`."""
    parts = [
        f"[{step}]" if isinstance(step, int) else f".{step}" if _PLAIN.fullmatch(step) else f"[{hcl_quote(step)}]"
        for step in steps
    ]
    return "".join(parts).removeprefix(".")


def parse_path(text: str) -> tuple[str | int, ...]:
    """Parse a path in HCL syntax: names after dots, indexes and quoted names in brackets.

    Raises SelectionError if the path is invalid.
    """
    return tuple(_parsed(text, text, 0))


def parse_path_pattern(text: str) -> tuple[str | int | None, ...]:
    """Parse a path that may also have `[*]`: every element or value, given as None. Raises SelectionError."""
    found: list[str | int | None] = []
    for part in _EVERY.finditer(text):
        if part[1] is None and found:
            found.append(None)
        elif part.start() and not part[0].startswith((".", "[")):
            raise SelectionError(_invalid(text, "Expected a dot or a bracket.", part.start() + 1))
        else:
            found += _parsed(part[0], text, part.start())
    return tuple(found)


def _parsed(part: str, text: str, start: int) -> Iterator[str | int]:
    """Yield the steps of the part of a path that begins at `start`."""
    needs_root = part.startswith("[") or start > 0
    try:
        steps = parse_traversal(_ROOT + part if needs_root else part)[int(needs_root) :]
    except AddressError as error:
        column = start + error.column - len(_ROOT) * needs_root
        raise SelectionError(_invalid(text, error.detail, column)) from error
    for step in steps:
        if isinstance(step, Attr):
            yield step.name
        elif isinstance(step.key, (IntKey, StringKey)):
            yield step.key.value
        else:
            raise SelectionError(f"{text!r} is not a valid attribute path: an index must be a whole number")


def _invalid(text: str, detail: str, column: int) -> str:
    return f"{text!r} is not a valid attribute path: {detail} (column {column})"
