"""Asks for confirmation on the terminal."""

from __future__ import annotations

import sys

import typer

from statefmt import StoreError


def confirmed(question: str, what: str, done: str, advice: str) -> bool:
    """Ask a question on standard error. Raises StoreError if there is no terminal.

    The error says that `what` needs confirmation and that nothing was `done`, and gives the advice.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        raise StoreError(f"{what} needs confirmation, and there is no terminal to ask on; nothing was {done}. {advice}")
    return typer.confirm(question, err=True)
