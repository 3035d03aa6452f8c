"""Turns JSON values into Python values."""

from __future__ import annotations

from typing import Any, TypeAlias

from statefmt.golang import JSONValue, Members, NumberText
from statefmt.library.values._number import number
from statefmt.library.values._object import ObjectValue
from statefmt.library.values._sensitive import Sensitive
from statefmt.model.errors import SelectionError
from statefmt.redaction.partial import Partial
from statefmt.redaction.withheld import Withheld, member_value

# None, bool, int, float, ExactDecimal, str, tuple, ObjectValue or Sensitive. Any, so that type checkers accept
# attributes["tags"]["Owner"], as they do for what `json` returns.
AttributeValue: TypeAlias = Any


def decode(part: Partial, name: str) -> AttributeValue:
    """Decode a value. Raises SelectionError, with its `name`, if it is nested too deeply."""
    try:
        return _value(member_value(part), name)
    except (ValueError, RecursionError):
        raise SelectionError(f"{name} is nested too deeply to be decoded; its JSON text is in raw") from None


def withheld(part: Withheld, name: str) -> Sensitive:
    """Wrap a withheld value, which is decoded when it is revealed."""
    return Sensitive.of(lambda: decode(part.raw, name))


def _value(node: JSONValue, name: str) -> AttributeValue:
    if isinstance(node, str):
        if isinstance(node, NumberText):
            return number(node)
        return withheld(node, name) if isinstance(node, Withheld) else node
    if isinstance(node, list):
        return tuple([_value(item, name) for item in node])
    if isinstance(node, Members):
        return ObjectValue({key: _value(item, name) for key, item in node})
    return node
