"""States as the real programs write them, and how laws about them are tried."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeVar

from hypothesis import given, settings, strategies as st

from statefmt.testing._documents import MODULES, NAMES, PROVIDERS, TYPES, Document, documents
from tests.compat.program import Program

Drawn = TypeVar("Drawn")


def text_of(document: Document) -> bytes:
    """A state as a file: in one line, its members in the order they are in."""
    return json.dumps(document, ensure_ascii=False).encode()


def sweep(real: Program, states: st.SearchStrategy[Drawn], holds: Callable[[Drawn], None]) -> int:
    """Try a law on generated states, as many as are the program's share of the profile's, and give their number."""
    assert settings.default is not None
    examples = settings.default.max_examples // real.share
    settings(max_examples=examples)(given(states)(holds))()
    return examples


__all__ = ["MODULES", "NAMES", "PROVIDERS", "TYPES", "Document", "documents", "sweep", "text_of"]
