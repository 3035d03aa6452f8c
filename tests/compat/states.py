"""States as the real programs write them, and how laws about them are tried."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, TypeVar

from hypothesis import given, settings, strategies as st

from statefmt.testing.strategies import MODULES, NAMES, PROVIDERS, TYPES, Document, documents
from tests.compat.program import Program

Drawn = TypeVar("Drawn")

# How many states a sweep is of, at the least; `make slow` takes 300.
SWEEP: Final = 100


def text_of(document: Document) -> bytes:
    """A state as a file: in one line, its members in the order they are in."""
    return json.dumps(document, ensure_ascii=False).encode()


def sweep(real: Program, states: st.SearchStrategy[Drawn], holds: Callable[[Drawn], None]) -> int:
    """Try a law on generated states, as many as are the program's share of them, and give their number."""
    examples = max(SWEEP, settings.default.max_examples if settings.default else 0) // real.share
    settings(max_examples=examples)(given(states)(holds))()
    return examples


__all__ = ["MODULES", "NAMES", "PROVIDERS", "SWEEP", "TYPES", "Document", "documents", "sweep", "text_of"]
