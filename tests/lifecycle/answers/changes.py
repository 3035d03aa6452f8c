"""Answers proposed_new, planned_unknown, normalize_legacy and lifecycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
