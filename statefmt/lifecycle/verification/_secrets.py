"""Decides which values a finding may show, by marks, masks and schemas, and formats them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, TypeAlias

from msgspec import Raw, json

from statefmt.lifecycle.plan import Change
from statefmt.lifecycle.schema import SchemaAttribute, SchemaBlock
from statefmt.lifecycle.schema_marks import contains_sensitive
from statefmt.lifecycle.verification._difference import (
    ABSENT,
    Absent,
    Decoded,
    Difference,
    DifferenceKind,
    PathSteps,
    mask_of,
)
from statefmt.model.cty import DYNAMIC, STRING
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.number import Number, format_digits
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.object_value import secret_steps, sensitive_paths, typed_steps
from statefmt.redaction.partial import HIDDEN, step_key

# Longer values are truncated: a finding is not a diff.
_LONGEST: Final = 80


class Secrets:
    """The sensitive parts of an object: by the plan, by the states, by the schema, and by name or shape."""

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
        """Return how many steps of a path may be shown if its value may not: inner names are part of the value.

        None if the value may be shown: neither its containers nor its parts are sensitive.
        """
        if self._show:
            return None
        depths = [self._marked.depth(path)]
        if self._schema is not None:
            inside, depth = _walk(self._schema, path)
            depths.append(depth if inside is None or contains_sensitive(inside) else None)
        return min((depth for depth in depths if depth is not None), default=None)

    def hides_size(self, path: PathSteps) -> bool:
        """Return whether a value is hidden as a whole, and not only because of one of its parts."""
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
    """Return a difference truncated to a number of steps in the plan, without its values."""
    if depth >= len(difference.path):
        return difference
    path = difference.path[:depth]
    # The remaining steps in the plan; and the steps in the state, which include the members of dynamic values.
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
    """Return a decoded value as JSON, truncated if it is long."""
    text = json.encode(_plain(value)).decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _plain(value: Decoded | Absent) -> object:
    if isinstance(value, Number):
        text = "null" if value.infinite else format_digits(value)
        # Keep the text of the number: a float would have fewer digits.
        return Raw(text.encode()) if len(text) < _LONGEST else text
    if isinstance(value, list):
        return [_plain(element) for element in value]
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    return None if value is ABSENT else value


# True at the end of a path; otherwise the nodes below by the next step. ANY stands for each position of a list.
_Node: TypeAlias = "bool | dict[str | int, _Node]"
ANY: Final = -1


class MarkedPaths:
    """A set of paths without those below another.

    Unless `exact`, the positions in lists are ignored: elements of a set differ in position between the state and the
    plan.
    """

    def __init__(self, *, exact: bool = False) -> None:
        self._exact = exact
        self._root: _Node = {}

    def __bool__(self) -> bool:
        return self._root is True or bool(self._root)

    def add(self, path: Iterable[str | int]) -> None:
        self._root = self._merged(self._root, [self._step(step) for step in path])

    def add_mask(self, mask: Decoded) -> None:
        """Add the paths at which a mask is true. Raises RecursionError if it is nested too deeply."""
        self._root = self._with_mask(self._root, mask)

    def covers(self, path: PathSteps) -> bool:
        """Return whether the path is in the tree, or leads into a path of the tree."""
        return self._reached(path)[0] is True

    def overlaps(self, path: PathSteps) -> bool:
        """Return whether the path is in the tree, or one of the two leads into the other."""
        return bool(self._reached(path)[0])

    def depth(self, path: PathSteps) -> int | None:
        """Return the number of steps to a path of the tree, or to a container of one; None if there is no match.

        If the steps do not match the kind of the paths, names instead of positions, the position counts as a path.
        """
        node, depth = self._reached(path)
        return depth if node else None

    def _reached(self, path: PathSteps) -> tuple[_Node, int]:
        node = self._root
        for depth, step in enumerate(path):
            if isinstance(node, bool):
                return node, depth
            below = node.get(self._step(step))
            if below is None:
                misfit = any(isinstance(other, int) is not isinstance(step, int) for other in node)
                return misfit, depth
            node = below
        return node, len(path)

    def _step(self, step: str | int) -> str | int:
        return step if self._exact or isinstance(step, str) else ANY

    @staticmethod
    def _merged(root: _Node, path: list[str | int]) -> _Node:
        if not path:
            return True
        node = root
        for step in path[:-1]:
            if isinstance(node, bool):
                return root
            node = node.setdefault(step, {})
        if not isinstance(node, bool):
            node[path[-1]] = True
        return root

    def _with_mask(self, node: _Node, mask: Decoded) -> _Node:
        if mask is True or node is True:
            return True
        assert isinstance(node, dict)
        parts: Iterable[tuple[str | int, Decoded]] = ()
        if isinstance(mask, dict):
            parts = mask.items()
        elif isinstance(mask, list):
            parts = enumerate(mask)
        for name, part in parts:
            step = self._step(name)
            found = self._with_mask(node.get(step, {}), part)
            if found:
                node[step] = found
        return node


# These types are part of every release, so no schemas file is needed for them.
# Source: OpenTofu `internal/builtin/providers/tf`.
_ANY: Final = SchemaAttribute(type=DYNAMIC, optional=True)
_STORED: Final = SchemaAttribute(type=DYNAMIC, computed=True)
_TERRAFORM_DATA: Final = SchemaBlock({
    "id": SchemaAttribute(type=STRING, computed=True), "input": _ANY, "output": _STORED, "triggers_replace": _ANY
})  # fmt: skip
_TERRAFORM_REMOTE_STATE: Final = SchemaBlock({
    "backend": SchemaAttribute(type=STRING, required=True), "config": _ANY, "defaults": _ANY, "outputs": _STORED,
    "workspace": SchemaAttribute(type=STRING, optional=True),
})  # fmt: skip
BUILT_IN: Final[Mapping[str, SchemaBlock]] = {
    "terraform_data": _TERRAFORM_DATA, "data.terraform_remote_state": _TERRAFORM_REMOTE_STATE
}  # fmt: skip


def is_sensitive(block: SchemaBlock, path: PathSteps) -> bool:
    """Return whether the schema makes a part of an object, or one of its containers, sensitive."""
    return _walk(block, path)[0] is None


def _walk(block: SchemaBlock, path: PathSteps) -> tuple[SchemaBlock | None, int]:
    """Return the block or nested attributes that a path leads to, and the number of steps to it.

    The block is empty for a single value, and None if it is sensitive.
    """
    is_key = False
    for depth, step in enumerate(path):
        if is_key or isinstance(step, int):
            # A position, or a key of a map, which may equal the name of an attribute.
            is_key = False
            continue
        attribute, nested = block.attributes.get(step), block.blocks.get(step)
        if attribute is not None:
            if attribute.sensitive:
                return None, depth + 1
            inner = attribute.nested
            block = SchemaBlock({} if inner is None else inner.attributes)
            is_key = inner is not None and inner.nesting == "map"
        elif nested is not None:
            block, is_key = nested.block, nested.nesting == "map"
        else:
            block = SchemaBlock()
    return block, len(path)
