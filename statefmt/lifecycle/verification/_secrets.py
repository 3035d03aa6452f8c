"""Decides which values a finding may show, and writes them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from msgspec import Raw, json

from statefmt.lifecycle.plans.plan import Change
from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.verification._difference import ABSENT, Absent, Decoded, Difference, DifferenceKind, PathSteps
from statefmt.lifecycle.verification._marked_paths import MarkedPaths
from statefmt.lifecycle.verification._masks import mask_of
from statefmt.lifecycle.verification._schema_views import is_sensitive, sensitive_depth
from statefmt.model.cty import CtyValue, Number
from statefmt.model.cty.decimals import format_digits
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.object_value import secret_steps, sensitive_paths, typed_steps
from statefmt.redaction.path_text import step_key

# Longer values are cut off: a finding is not a diff.
_LONGEST: Final = 80


class Secrets:
    """What is sensitive about an object: by the plan, by the states, by the schema, and without a mark."""

    def __init__(
        self, type_name: str, changes: Iterable[Change], objects: Iterable[ResourceInstanceObject | None],
        schema: SchemaBlock | None, *, show: bool
    ) -> None:  # fmt: skip
        self._type_name = type_name
        self._changes = tuple(changes)
        self._objects = [obj for obj in objects if obj is not None]
        self._schema = schema
        self._show = show

    def hidden_at(self, path: PathSteps) -> int | None:
        """Return how many steps of a path may be shown if its value may not: names inside are part of the value.

        None if the value may be shown: nothing around it and nothing in it is sensitive.
        """
        if self._show:
            return None
        depths = [self._marked.depth(path), None if self._schema is None else sensitive_depth(self._schema, path)]
        return min((depth for depth in depths if depth is not None), default=None)

    def hides_size(self, path: PathSteps) -> bool:
        """Return whether a value is hidden as a whole, and not only for something in it."""
        schema = self._schema
        return not self._show and (self._marked.covers(path) or (schema is not None and is_sensitive(schema, path)))

    @cached_property
    def _marked(self) -> MarkedPaths:
        found = MarkedPaths()
        for change in self._changes:
            found.add_mask(mask_of(change.before_sensitive))
            found.add_mask(mask_of(change.after_sensitive))
            for side in (change.before, change.after):
                for steps in typed_steps(self._type_name, side):
                    found.add(steps)
        for obj in self._objects:
            for path in (*plain_paths(obj), *secret_steps(obj, self._type_name)):
                found.add(path)
        return found


def shown_value(value: Decoded | Absent, *, hide: bool) -> str:
    """Return a value for a message: as JSON, or `(sensitive value)`."""
    if value is ABSENT:
        return "no value"
    return HIDDEN if hide else json_text(value)


def cut(difference: Difference, depth: int) -> Difference:
    """Return a difference that leads only as deep as some number of steps in the plan, without its values."""
    if depth >= len(difference.path):
        return difference
    path = difference.path[:depth]
    # Of the steps in the state, those of the plan and the members of dynamic values on the way.
    left, tokens = list(path), []
    for token in difference.tokens:
        if not left:
            break
        tokens.append(token)
        # An element may have another position in the state.
        if token == left[0] or (isinstance(token, int) and isinstance(left[0], int)):
            del left[0]
    unknown = difference.kind is DifferenceKind.UNKNOWN
    return Difference(difference.kind if unknown else DifferenceKind.VALUE, path, tuple(tokens), None, None)


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
        # As it is written: a float would have fewer digits.
        return Raw(text.encode()) if len(text) < _LONGEST else text
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    return None if value is ABSENT else value
