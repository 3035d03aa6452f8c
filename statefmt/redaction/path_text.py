"""Formats and parses paths into values: `rule[0].tags["a b"]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.model.addrs.instance_key import IntKey, StringKey
from statefmt.model.addrs.quoting import hcl_quote
from statefmt.model.addrs.traversal import Attr, parse_traversal
from statefmt.model.cty import CtyValue, GetAttr
from statefmt.model.cty.paths import PathStep
from statefmt.model.errors import AddressError, SelectionError
from statefmt.text.pattern import pattern

_PLAIN: Final = pattern(r"[A-Za-z_][A-Za-z0-9_-]*")
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
    is_bracket = text.startswith("[")
    try:
        steps = parse_traversal(_ROOT + text if is_bracket else text)[int(is_bracket) :]
    except AddressError as error:
        column = error.column - len(_ROOT) if is_bracket else error.column
        raise SelectionError(f"{text!r} is not a valid attribute path: {error.detail} (column {column})") from error
    found: list[str | int] = []
    for step in steps:
        if isinstance(step, Attr):
            found.append(step.name)
        elif isinstance(step.key, (IntKey, StringKey)):
            found.append(step.key.value)
        else:
            raise SelectionError(f"{text!r} is not a valid attribute path: an index must be a whole number")
    return tuple(found)
