"""Answers plan_valid, object_compatible and value_compatible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
