"""Renders the list of saved queries."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.fleet import SavedQuery
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal


def saved_queries_text(queries: Sequence[SavedQuery], terminal: Terminal) -> str:
    """Render saved queries with their titles."""
    return table(("name", "what it shows"), [(printable(one.name), printable(one.title)) for one in queries], terminal)
