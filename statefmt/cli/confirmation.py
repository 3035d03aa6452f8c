"""Asks for confirmation on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

import typer

from statefmt import StoreError
from statefmt.text import printable

# What to do without a terminal, if a command has both options.
ADVICE: Final = "Use --dry-run to see the changes, or --yes to write them"


def confirmed(question: str, what: str, done: str, advice: str) -> bool:
    """Ask a question on standard error. Raises StoreError if there is no terminal.

    The error says that `what` needs confirmation and that nothing was `done`, and gives the advice.
    """
    if not _can_be_asked():
        raise StoreError(f"{what} needs confirmation, and there is no terminal to ask on; nothing was {done}. {advice}")
    return typer.confirm(question, err=True)


def asking() -> Callable[[str], bool] | None:
    """Return what asks a question on standard error, None if there is no terminal."""
    return _agreed if _can_be_asked() else None


def _agreed(question: str) -> bool:
    return typer.confirm(printable(question), err=True)


def _can_be_asked() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stderr.isatty())
