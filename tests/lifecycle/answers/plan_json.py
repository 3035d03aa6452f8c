"""Answers plan_json_value, plan_change, encode_paths and plan_action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {}
