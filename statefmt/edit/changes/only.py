"""Finds the one thing that an error is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def only(found: Iterable[T]) -> T | None:
    """Return the only one of some values, which may repeat; None if there are several different ones, or none."""
    different = set(found)
    return different.pop() if len(different) == 1 else None
