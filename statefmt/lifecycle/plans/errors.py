"""Defines why a file cannot be read as a plan."""

from __future__ import annotations

from statefmt.model.errors import StatetoolError


class PlanError(StatetoolError):
    """A file is not a readable plan in JSON; the message says what it is instead, or what is invalid and where.

    `pointer` is the JSON pointer of the invalid part, "" for the whole file.
    """

    code = "plan"

    def __init__(self, reason: str, pointer: str = "") -> None:
        super().__init__(f"{reason} (at {pointer})" if pointer else reason)
        self.reason = reason
        self.pointer = pointer


class NotAPlanError(PlanError):
    """A file is not a plan in JSON at all: a binary plan file, a state, the output of another command."""

    code = "not-a-plan"
