"""Renders the versions of a state as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.render.counted import size_text
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal
from statefmt.store.remote.client import ObjectVersion

_SECONDS: Final = len("2026-01-01T00:00:00")


def versions_text(versions: Sequence[ObjectVersion], terminal: Terminal) -> str:
    """Render versions, newest first, the current one with a star."""
    rows = [
        ("*" if version.is_current else "", printable(version.id), _time(version.time), size_text(version.size))
        for version in versions
    ]
    return table(["", "version", "time", "size"], rows, terminal, right="lllr")


def _time(text: str) -> str:
    """Format a time to the second."""
    return printable(text[:_SECONDS].replace("T", " ") + "Z")
