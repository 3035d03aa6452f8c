"""Answers coerce_value, conformance and what schemas say of values: types, marks, write-only paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
