"""Asks for confirmation on the terminal."""

from __future__ import annotations

import sys

import typer

from statefmt.model.errors import StoreError


def confirmed(question: str, refusal: str) -> bool:
    """Ask a question on standard error. Raises StoreError with the `refusal` if there is no terminal."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        raise StoreError(refusal)
    return typer.confirm(question, err=True)
