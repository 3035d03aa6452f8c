"""Defines the error for flatmaps that do not decode."""

from __future__ import annotations

from statefmt.model.cty import Type
from statefmt.model.errors import StatetoolError


class FlatmapError(StatetoolError, ValueError):
    """A flatmap that does not decode by a type.

    The message is OpenTofu's, where OpenTofu has one. It may show a count, which is a value of the state; `key` and
    `expected` say without values where the problem is, and which type was expected there.
    """

    def __init__(self, message: str, key: str, expected: Type) -> None:
        super().__init__(message)
        self.key = key
        self.expected = expected
