"""Paths into values as text: `rule[0].tags["a b"]`."""

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
# What stands before a path that begins with a bracket, so that it begins with a name as traversals do.
_ROOT: Final = "_"


def step_key(step: PathStep) -> str | int | CtyValue:
    """What a step leads to: the name of an attribute, or a key."""
    return step.name if isinstance(step, GetAttr) else step.key


def path_text(steps: Sequence[str | int]) -> str:
    """Steps as people write them: `rule[0].tags["a b"]`."""
    parts = [
        f"[{step}]" if isinstance(step, int) else f".{step}" if _PLAIN.fullmatch(step) else f"[{hcl_quote(step)}]"
        for step in steps
    ]
    return "".join(parts).removeprefix(".")


def parse_path(text: str) -> tuple[str | int, ...]:
    """The steps of a path, as HCL writes it: names after dots, positions and quoted names in brackets.

    Raises SelectionError for text that is no path.
    """
    is_bracket = text.startswith("[")
    try:
        steps = parse_traversal(_ROOT + text if is_bracket else text)[int(is_bracket) :]
    except AddressError as error:
        column = error.column - len(_ROOT) if is_bracket else error.column
        raise SelectionError(f"{text!r} is no path to an attribute: {error.detail} (column {column})") from error
    found: list[str | int] = []
    for step in steps:
        if isinstance(step, Attr):
            found.append(step.name)
        elif isinstance(step.key, (IntKey, StringKey)):
            found.append(step.key.value)
        else:
            raise SelectionError(f"{text!r} is no path to an attribute: a position is a whole number")
    return tuple(found)
