"""Reports members that have the right JSON type but an impossible value.

OpenTofu finds these while decoding, and then reads nothing else of the file.
"""

from __future__ import annotations

from typing import Final

from statefmt.model.codes import Code
from statefmt.model.findings import Finding

INVALID: Final = "Invalid state file format"
INVALID_METADATA: Final = "Invalid resource instance metadata in state"
_UINT64_MAX: Final = 2**64 - 1


class InvalidDocument(Exception):  # noqa: N818 - not an error of the program; never leaves this package
    """An impossible value. Raised only inside `statefmt.formats`, where it becomes a finding."""

    def __init__(self, pointer: str, reason: str, address: str = "", code: Code = Code.INVALID_STRUCTURE) -> None:
        super().__init__(f"{pointer}: {reason}")
        self.code = code
        self.pointer = pointer
        self.reason = reason
        self.address = address

    def finding(self) -> Finding:
        """Return the reason as a finding."""
        where = f"The member {self.pointer} is not valid" if self.pointer else "The state is not valid"
        return self.code.notice(INVALID, f"{where}: {self.reason}.", self.address, self.pointer)


def check_uint64(value: int | None, pointer: str) -> int:
    """Return `value` if it fits in 64 unsigned bits, 0 if it is None. Raises InvalidDocument otherwise."""
    if value is None:
        return 0
    if 0 <= value <= _UINT64_MAX:
        return value
    raise InvalidDocument(pointer, "it is not a whole number from 0 to 18446744073709551615")
