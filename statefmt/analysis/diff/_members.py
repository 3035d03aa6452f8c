"""Compares the objects of one instance member by member, as format version 4 writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from statefmt.analysis.diff._model import MemberChange, ObjectChange
from statefmt.analysis.diff._texts import object_texts
from statefmt.analysis.diff.plain import equal_values, plain
from statefmt.golang import encode_string, loads_exact
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceInstanceObject

# These are part of the address of an instance or object.
_IDENTIFYING: Final = frozenset({"index_key", "deposed"})


def same_text(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Return whether two objects are exactly equal, regardless of their resource."""
    return one is other or (
        one.attributes == other.attributes
        and one.key == other.key
        and one.deposed == other.deposed
        and one.provider_key == other.provider_key
        and one.status is other.status
        and one.schema_version == other.schema_version
        and one.private == other.private
        and one.dependencies == other.dependencies
        and one.sensitive_attributes == other.sensitive_attributes
        and one.attributes_flat == other.attributes_flat
        and one.depends_on == other.depends_on
        and one.create_before_destroy == other.create_before_destroy
        and one.skip_destroy == other.skip_destroy
        and one.identity == other.identity
        and one.identity_schema_version == other.identity_schema_version
        and one.unknown == other.unknown
    )


def member_changes(old: InstanceState, new: InstanceState, *, exact: bool) -> Iterator[MemberChange]:
    """Yield the members that differ in the objects that both sides have."""
    after = {obj.deposed: obj for obj in new.objects}
    for one in old.objects:
        other = after.get(one.deposed)
        if other is None or (same_text(one, other) and old.provider(one) == new.provider(other)):
            # Most objects that moved are equal, and making their texts takes time.
            continue
        before, now = _members(old, one), _members(new, other)
        for name in {**before, **now}:
            mine, theirs = before.get(name), now.get(name)
            if mine == theirs or (mine is not None and theirs is not None and equal_json(mine, theirs, exact=exact)):
                continue
            yield MemberChange(one.deposed, name, mine, theirs)


def object_changes(old: InstanceState, new: InstanceState) -> Iterator[ObjectChange]:
    """Yield the objects that only one side has."""
    before = {obj.deposed: obj for obj in old.objects}
    after = {obj.deposed: obj for obj in new.objects}
    for deposed in {**before, **after}:
        if deposed not in before or deposed not in after:
            yield ObjectChange(deposed, before.get(deposed), after.get(deposed))


def _members(instance: InstanceState, obj: ResourceInstanceObject) -> Mapping[str, bytes]:
    """Return the members of an object as JSON, with its provider instance as one of them."""
    members = {name: text for name, text in object_texts(obj).items() if name not in _IDENTIFYING}
    provider = instance.provider(obj)
    return members if provider is None else {"provider": encode_string(str(provider)), **members}


def equal_json(one: bytes, other: bytes, *, exact: bool) -> bool:
    """Return whether two compact JSON values are equal.

    Without `exact`, numbers are compared by value, strings that contain JSON are compared as JSON, and the order of
    members is ignored. The last of repeated members counts, as in OpenTofu.
    """
    if one == other:
        return True
    if exact:
        return False
    try:
        return equal_values(
            plain(loads_exact(one, replace_invalid=True), exact=False),
            plain(loads_exact(other, replace_invalid=True), exact=False),
        )
    except (ValueError, RecursionError):
        # Nested too deeply to compare.
        return False
