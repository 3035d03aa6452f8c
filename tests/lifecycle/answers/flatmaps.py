"""Answers from_flatmap and to_flatmap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
