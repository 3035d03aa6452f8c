"""Represents values that are decoded only on the paths to sensitive parts, and prints these paths.

Most of a large state is never inspected and stays JSON text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Raw

from statefmt.golang import JSONValue, Members, NumberText, encode_string, loads_exact
from statefmt.model.addrs import IntKey, StringKey, hcl_quote
from statefmt.model.addrs.traversal import Attr, parse_traversal
from statefmt.model.cty.data import CtyValue, GetAttr, PathStep
from statefmt.model.errors import AddressError, SelectionError
from statefmt.text import pattern

# JSON text, a result of `loads_exact`, or an object or array of such values.
Partial: TypeAlias = "Raw | JSONValue | list[Partial] | dict[str, Partial]"


def decoded(value: Partial) -> JSONValue:
    """Decode the whole value, keeping hidden parts and the text of numbers.

    Raises ValueError if the value is nested too deeply.
    """
    try:
        return _decoded(value)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None


def _decoded(value: Partial) -> JSONValue:
    if isinstance(value, Raw):
        return loads_exact(bytes(value), replace_invalid=True)
    if isinstance(value, dict):
        return Members((name, _decoded(part)) for name, part in value.items())
    if isinstance(value, list):
        return [_decoded(part) for part in value]
    return value


def hidden_at(value: JSONValue, places: Sequence[Sequence[str | int]]) -> JSONValue:
    """Return a decoded value with HIDDEN at the end of each existing path."""
    if not places or value is None:
        return value
    if not all(places):
        return HIDDEN
    below: dict[str | int, list[Sequence[str | int]]] = {}
    for first, *rest in places:
        below.setdefault(first, []).append(rest)
    if isinstance(value, Members):
        return Members((name, hidden_at(part, below.get(name, ()))) for name, part in value)
    if isinstance(value, list):
        return [hidden_at(part, below.get(place, ())) for place, part in enumerate(value)]
    return value


def contains_hidden(value: JSONValue) -> bool:
    """Return whether a decoded value is hidden or has hidden parts."""
    if isinstance(value, Members):
        return any(contains_hidden(item) for _, item in value)
    if isinstance(value, list):
        return any(map(contains_hidden, value))
    return isinstance(value, Hidden)


def exact_text(value: Partial) -> bytes:
    """Write a value as JSON; numbers and undecoded parts keep their text.

    Raises ValueError if a decoded value is nested deeper than Python can follow.
    """
    try:
        return _encoded(value)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None


def _encoded(value: Partial) -> bytes:
    if isinstance(value, Raw):
        return bytes(value)
    if value is None:
        return b"null"
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, NumberText):
        return value.encode("ascii")
    if isinstance(value, str):
        return encode_string(value)
    if isinstance(value, list):
        return b"[%b]" % b",".join([_encoded(part) for part in value])
    pairs = dict(value) if isinstance(value, Members) else value
    return b"{%b}" % b",".join([encode_string(name) + b":" + _encoded(part) for name, part in pairs.items()])


def sensitive_shape(value: Partial) -> object:
    """Return the shape of a value as in `sensitive_values`: True for hidden parts, False for other scalars.

    Objects become dicts without the members that are False, arrays become lists. Source: OpenTofu
    `internal/command/jsonstate/state.go` (SensitiveAsBool).
    """
    try:
        return _shape(value)
    except RecursionError:
        return _shallow_shape(value)


def _shape(value: Any) -> object:
    kind = type(value)
    if kind is Raw:
        return _shape(_loosely_decoded(value))
    if kind is Hidden:
        return True
    if kind is Members:
        value, kind = dict(value), dict
    if kind is dict:
        # Most values are strings: skip them without a call.
        return {
            name: shape
            for name, part in value.items()
            if type(part) is not str and (shape := _shape(part)) is not False
        }
    return [_shape(part) for part in value] if isinstance(value, list) else False


def _shallow_shape(value: Partial) -> object:
    """Return the outermost shape of a value that is nested too deeply."""
    if isinstance(value, Raw):
        return {b"{": {}, b"[": []}.get(bytes(memoryview(value)[:1]), False)
    return isinstance(value, Hidden) or {}


def _loosely_decoded(raw: Raw) -> object:
    """Decode a value fast. Numbers may lose digits, as only the shape matters."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # A number out of range for a float, or a lone surrogate.
        try:
            return loads_exact(bytes(raw), replace_invalid=True)
        except ValueError:
            raise RecursionError from None


_PLAIN: Final = pattern(r"[A-Za-z_][A-Za-z0-9_-]*")
# `[*]` outside of quotes, or the text between two of them.
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


class Hidden(str):
    """A string shown in place of a value. (It is a str: test for it before testing for str.)"""

    __slots__ = ()


HIDDEN: Final = Hidden("(sensitive value)")
