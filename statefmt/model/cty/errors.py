"""Defines the errors for invalid types and values, from which callers make findings.

CtyError
├── CtyTypeError     an invalid type description
└── CtyValueError    a value that does not conform to its type
    ├── CtyPathError     the same, with the path to the part (`_path_error.py`)
    └── CtyEncodeError   a value that can be read but not written as JSON
"""

from __future__ import annotations

from statefmt.model.errors import StatetoolError


class CtyError(StatetoolError, ValueError):
    """Base class of the errors of this package. `detail` is go-cty's wording if go-cty reports the case."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class CtyTypeError(CtyError):
    """An invalid type description ("Invalid output value type in state")."""


class CtyValueError(CtyError):
    """A value that does not conform to its type ("Invalid output value saved in state")."""


class CtyEncodeError(CtyValueError):
    """A value that can be read but not written ("Failed to serialize output value in state")."""
