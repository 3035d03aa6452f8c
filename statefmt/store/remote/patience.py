"""How long a run waits for a service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.text import pattern

TIMEOUT_VARIABLE: Final = "STATETOOL_TIMEOUT"
_SECONDS: Final = pattern(r"[0-9]{1,6}(?:\.[0-9]{1,3})?")
ADVICE: Final = f"set {TIMEOUT_VARIABLE} to wait longer"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a connection, for each part of an answer, and for all of a request, in seconds.

    A state of 100 MB may take all of the default over a slow line.
    """

    connect: float = 10.0
    answer: float = 60.0
    whole: float = 600.0

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Patience:
        """Return the patience of a run: STATETOOL_TIMEOUT replaces all. Raises StoreError unless it is a number."""
        text = environment.get(TIMEOUT_VARIABLE, "")
        if not text:
            return cls()
        seconds = float(text) if _SECONDS.fullmatch(text) else 0.0
        if not seconds:
            raise StoreError(f"{TIMEOUT_VARIABLE} must be a number of seconds, such as 120")
        return cls(seconds, seconds, seconds)
