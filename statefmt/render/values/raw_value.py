"""Renders a single value without quotes and newline, for `--raw`."""

from __future__ import annotations

from statefmt.golang import JSONValue
from statefmt.model.errors import SelectionError


def raw_value(value: JSONValue, name: str) -> bytes:
    """Render a string, number or bool as `tofu output -raw` does. Raises SelectionError for anything else.

    Source: OpenTofu `internal/command/views/output.go` (OutputRaw).
    """
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, str):
        return value.encode()
    kind = "null" if value is None else "a list or set" if isinstance(value, list) else "an object or map"
    raise SelectionError(f"{name} is {kind}; --raw supports only strings, numbers and bools")
