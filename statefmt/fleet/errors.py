"""Defines the exception for an index that cannot be made or queried."""

from __future__ import annotations

from statefmt.model.errors import StatetoolError


class FleetError(StatetoolError):
    """An index cannot be made or queried; the message names the file or the query, and the reason."""

    code = "fleet"
