"""Limits what one state of a fleet may cost: its bytes, and the time to read it and to make its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from msgspec import Struct

from statefmt.context import RunContext
from statefmt.fleet.tables import FleetError
from statefmt.model.errors import Wording
from statefmt.store.reading import SIZE_VARIABLE, largest_stream, size_of
from statefmt.store.remote.client import TIMEOUT_VARIABLE, Patience


class StateLimits(Struct, frozen=True):
    """The limits of each state: its size in bytes, and the seconds for it."""

    size: int
    seconds: float

    @classmethod
    def of(cls, environment: Mapping[str, str], size: str | None = None, seconds: float | None = None) -> StateLimits:
        """Return the limits of a run: STATETOOL_MAX_SIZE and STATETOOL_TIMEOUT stand in for what is not given.

        Raises FleetError for a size that is not one, and StoreError if a variable is not valid.
        """
        if size is not None and not size_of(size):
            raise FleetError(Wording("--max-size", "max_size"), f" must be a size with a unit, such as 20MiB: {size!r}")
        return cls(
            largest_stream(environment) if size is None else size_of(size),
            Patience.of(environment).whole if seconds is None else seconds,
        )

    def applied(self, context: RunContext) -> RunContext:
        """Return a context in which each request and each stream has these limits at most."""
        patience = Patience.of(context.environment)
        variables = {SIZE_VARIABLE: f"{-(-self.size >> 10)}KiB"}
        if self.seconds < patience.whole:
            variables[TIMEOUT_VARIABLE] = f"{self.seconds:.3f}"
        return replace(context, environment={**context.environment, **variables})

    def refusal(self, size: int) -> str:
        """Return why a state of this size is not read, "" if it may be."""
        if size <= self.size:
            return ""
        return f"it has {size:,} bytes; the limit is {self.size:,} bytes, and --max-size raises it"
