"""What can be wrong with a type or a value; the caller makes a Finding of it.

CtyError
├── CtyTypeError     a type description that cty does not read
└── CtyValueError    a value that does not fit its type
    └── CtyEncodeError   a value that cty reads, but cannot write as JSON
"""

from __future__ import annotations

from statefmt.model.errors import StatetoolError


class CtyError(StatetoolError, ValueError):
    """Base of the errors of this package. `detail` is go-cty's wording where go-cty reports the case."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class CtyTypeError(CtyError):
    """A type description that cannot be read ("Invalid output value type in state")."""


class CtyValueError(CtyError):
    """A value that does not fit its type ("Invalid output value saved in state")."""


class CtyEncodeError(CtyValueError):
    """A value that can be read but not written ("Failed to serialize output value in state")."""
