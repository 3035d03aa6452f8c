"""Renders the list of saved queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import SavedQuery


def saved_queries_text(queries: Sequence[SavedQuery], terminal: Terminal) -> str:
    """Render saved queries with their titles."""
    return table(("name", "what it shows"), [(printable(one.name), printable(one.title)) for one in queries], terminal)
