"""Reads the plans that commands take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.cli.run import run_context

if TYPE_CHECKING:
    # Most runs have no plan.
    from statefmt.plans import ShownPlan


def load_plan(name: str) -> ShownPlan:
    """Read a plan in JSON from a file, or from standard input for `-`.

    Raises StoreError, with the name of the file, if it cannot be read or is not a plan in JSON.
    """
    from statefmt.plans import open_plan

    return open_plan(name, run_context())
