"""Values of which only some parts are decoded: those on the way to something sensitive.

Most of a large state is never looked into: it stays the JSON text that it was.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import Raw

from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.redaction.hidden import Hidden

# JSON text, or what `loads_exact` makes of it, or an object or array whose parts are such values again.
Partial: TypeAlias = "Raw | JSONValue | list[Partial] | dict[str, Partial]"


def decoded(value: Partial) -> JSONValue:
    """The whole value decoded, with its hidden parts as they are.

    Numbers keep their text. Raises ValueError for what is nested deeper than Python can follow.
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


def sensitive_shape(value: Partial) -> object:
    """The shape of a value with True for what is hidden in it, without the members in which nothing can be.

    Objects become dicts, arrays lists, all else False. Source: OpenTofu `internal/command/jsonstate/state.go`
    (SensitiveAsBool), which gives `sensitive_values`.
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
        # Most values are texts, which need no look.
        return {
            name: shape
            for name, part in value.items()
            if type(part) is not str and (shape := _shape(part)) is not False
        }
    return [_shape(part) for part in value] if isinstance(value, list) else False


def _shallow_shape(value: Partial) -> object:
    """What can be told of a value that is nested too deeply."""
    if isinstance(value, Raw):
        return {b"{": {}, b"[": []}.get(bytes(memoryview(value)[:1]), False)
    return isinstance(value, Hidden) or {}


def _loosely_decoded(raw: Raw) -> object:
    """A value decoded fast: its numbers do not count, and lose digits here."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # A number beyond a float, or half of a surrogate pair.
        try:
            return loads_exact(bytes(raw), replace_invalid=True)
        except ValueError:
            raise RecursionError from None
