"""Chooses the action for a resource instance from its prior and its planned object."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from statefmt.lifecycle.schema import NestedAttributes, SchemaBlock, refuses_depth
from statefmt.lifecycle.schema_marks import write_only_paths
from statefmt.model.cty.data import CtyValue, GetAttr, Path
from statefmt.model.cty.parts import is_null, is_wholly_known, split_marks, unmarked_deep
from statefmt.model.cty.paths import path_key
from tests.lifecycle.opentofu.at_path import at_path
from tests.lifecycle.opentofu.parts import same

ReplaceReason: TypeAlias = Literal["replace_because_cannot_update", "replace_because_tainted", "replace_by_request"]


class ChosenAction(Struct, frozen=True):
    """What a plan does with an instance that is configured.

    `actions` and `reason` are as in the JSON form of plans. `replace_paths` are those paths that force a replacement,
    in the provider's order (that of OpenTofu is accidental). `missing_paths` are paths that neither object has: for
    each, OpenTofu refuses the plan ("Provider produced invalid plan"), and there are no actions.
    """

    actions: tuple[str, ...] = ()
    reason: ReplaceReason | None = None
    replace_paths: tuple[Path, ...] = ()
    missing_paths: tuple[Path, ...] = ()


@refuses_depth
def plan_action(
    schema: SchemaBlock,
    prior: CtyValue,
    planned: CtyValue,
    *,
    requires_replace: Iterable[Path] = (),
    replace_requested: bool = False,
    tainted: bool = False,
    create_before_destroy: bool = False,
    skip_destroy: bool = False,
) -> ChosenAction:
    """Choose the action that leads from the object `prior` to the object `planned`, which is never null.

    `requires_replace` are the paths whose change the provider cannot apply to the object. `replace_requested` is the
    option `-replace`, `tainted` the status of the prior object, `skip_destroy` is `lifecycle { destroy = false }`.
    An object that is only to be marked as sensitive otherwise is updated. Raises CtyValueError for values nested too
    deeply. Source: OpenTofu `NodeAbstractResourceInstance.plan`.
    """
    replacing = ("create", "delete") if create_before_destroy else ("delete", "create")
    if skip_destroy:
        replacing = ("forget", "create")
    if is_null(prior):
        return ChosenAction(("create",))
    if tainted:
        return ChosenAction(replacing, "replace_because_tainted")
    before, after = unmarked_deep(prior), unmarked_deep(planned)
    paths, missing = _changed_paths(schema, before, after, requires_replace)
    if missing:
        return ChosenAction(missing_paths=missing)
    write_only = set(map(path_key, write_only_paths(schema, after))) if paths else set()
    unchanged = _equal(before, after) and write_only.isdisjoint(map(path_key, paths))
    if (replace_requested or paths) and not (unchanged and not replace_requested):
        reason: ReplaceReason = "replace_by_request" if replace_requested else "replace_because_cannot_update"
        return ChosenAction(replacing, reason, paths)
    same = unchanged and _sensitive(prior) == _sensitive(planned)
    return ChosenAction(("no-op",) if same else ("update",), None, paths)


def _changed_paths(
    schema: SchemaBlock, before: CtyValue, after: CtyValue, requires_replace: Iterable[Path]
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the paths that lead to something else or to a write-only attribute, and those that neither object has."""
    changed: dict[Hashable, Path] = {}
    missing: list[Path] = []
    for path in requires_replace:
        one, other = at_path(before, path), at_path(after, path)
        if one is None and other is None:
            missing.append(path)
        elif one is None or other is None or not _equal(one, other) or _is_write_only(schema, path):
            changed.setdefault(path_key(path), path)
    return tuple(changed.values()), tuple(missing)


def _equal(one: CtyValue, other: CtyValue) -> bool:
    """Return whether two values without marks are equal for sure. Source: go-cty `Value.Equals`."""
    if is_null(one) and is_null(other):
        return True
    return same(one, other) and is_wholly_known(one)


def _sensitive(value: CtyValue) -> frozenset[Hashable]:
    return frozenset(path_key(each.path) for each in split_marks(value)[1] if "sensitive" in each.marks)


def _is_write_only(schema: SchemaBlock, path: Path) -> bool:
    """Return whether a path leads to a write-only attribute. Source: OpenTofu `Block.AttributeByPath`."""
    inside: SchemaBlock | NestedAttributes = schema
    for place, step in enumerate(path):
        if not isinstance(step, GetAttr):
            continue
        found = inside.attributes.get(step.name)
        if found is not None:
            if place == len(path) - 1:
                return found.write_only
            if found.nested is None:
                return False
            inside = found.nested
        elif isinstance(inside, SchemaBlock):
            if step.name not in inside.blocks:
                return False
            inside = inside.blocks[step.name].block
    return False
