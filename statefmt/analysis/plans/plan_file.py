"""Reads plans from files."""

from __future__ import annotations

from statefmt.context import RunContext
from statefmt.lifecycle.plans.errors import PlanError
from statefmt.lifecycle.plans.plan import ShownPlan
from statefmt.lifecycle.plans.read import read_plan
from statefmt.model.errors import StoreError
from statefmt.store.reading import STANDARD_INPUT, display_name, read_bytes


def open_plan(name: str, context: RunContext) -> ShownPlan:
    """Read a plan in JSON from a file, or from standard input for `-`.

    Raises StoreError, with the name of the file, if it cannot be read or is not a plan in JSON.
    """
    context.phase("reading")
    data = context.read_input(None) if name == STANDARD_INPUT else read_bytes(name)
    try:
        return read_plan(data)
    except PlanError as error:
        raise StoreError(f"{display_name(name)}: {error}") from error
