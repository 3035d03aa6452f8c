"""Decides which values a finding may show, and writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import json

from statefmt.lifecycle.plans.plan import Change
from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.verification._difference import ABSENT, Absent, Decoded, PathSteps
from statefmt.lifecycle.verification._masks import mask_of, overlaps, touches
from statefmt.lifecycle.verification._schema_views import touches_sensitive
from statefmt.model.cty import CtyValue, Number
from statefmt.model.cty.decimals import format_digits
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.object_value import sensitive_paths
from statefmt.redaction.path_text import step_key

# Longer values are cut off: a finding is not a diff.
_LONGEST: Final = 80


class Secrets:
    """What is sensitive about an object: by the plan, by the states, and by the schema."""

    def __init__(
        self, change: Change | None, objects: Iterable[ResourceInstanceObject | None], schema: SchemaBlock | None,
        *, show: bool
    ) -> None:  # fmt: skip
        self._change = change
        self._objects = [obj for obj in objects if obj is not None]
        self._schema = schema
        self._show = show

    def text(self, value: Decoded | Absent, path: PathSteps) -> str:
        """Return a value for a message; `(sensitive value)` if it is sensitive or holds something sensitive."""
        if value is ABSENT:
            return "no value"
        return HIDDEN if not self._show and self._hides(path) else json_text(value)

    def _hides(self, path: PathSteps) -> bool:
        change = self._change
        if change is not None and any(
            touches(mask_of(raw), path) for raw in (change.before_sensitive, change.after_sensitive)
        ):
            return True
        if any(overlaps(found, path) for obj in self._objects for found in plain_paths(obj)):
            return True
        return self._schema is not None and touches_sensitive(self._schema, path)


def plain_paths(obj: ResourceInstanceObject) -> list[PathSteps]:
    """Return the sensitive paths of an object as names and positions. A path into a set ends at the set."""
    found: list[PathSteps] = []
    for path in sensitive_paths(obj):
        steps: list[str | int] = []
        for step in path:
            key = step_key(step)
            if isinstance(key, CtyValue):
                break
            steps.append(key)
        found.append(tuple(steps))
    return found


def json_text(value: Decoded | Absent) -> str:
    """Return a decoded value as JSON, cut off if it is long."""
    text = json.encode(_plain(value)).decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _plain(value: Decoded | Absent) -> object:
    if isinstance(value, Number):
        text = "null" if value.infinite else format_digits(value)
        return json.Decoder(object).decode(text) if len(text) < _LONGEST else text
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    return None if value is ABSENT else value
