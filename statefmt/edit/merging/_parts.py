"""Merges the parts of an object: its members, and its attributes member by member."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.merging.model import ConflictKind, MergeSide, Versions
from statefmt.formats.raw_json import container_at, token
from statefmt.golang import compact
from statefmt.model.snapshot import ResourceInstanceObject, UnknownMember

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)

# Receives the path of a conflict within an object, and returns the side to take; ours if it is not decided.
AskPart: TypeAlias = Callable[[str, ConflictKind], MergeSide]

# The members that are merged as a whole, one by one.
_WHOLE: Final = ("status", "private", "create_before_destroy", "skip_destroy")
# Values and the version of their schema, which belong together.
_ATTRIBUTES: Final = ("attributes", "attributes_flat", "schema_version")
_IDENTITY: Final = ("identity", "identity_schema_version")
# A value of dynamic type is written with its type, which belongs to it.
_WITH_TYPE: Final = {"value", "type"}


def chosen(values: Versions[T], ask: Callable[[], MergeSide]) -> T:
    """Return the value that only one side changed, or both in the same way; otherwise that of the side to take."""
    base, ours, theirs = values
    if theirs in (base, ours):
        return ours
    return theirs if ours == base or ask() is MergeSide.THEIRS else ours


def merged_object(objects: Versions[ResourceInstanceObject], ask: AskPart) -> ResourceInstanceObject:
    """Merge one object that all three states have; its keys are those of ours."""

    def whole(name: str) -> object:
        return chosen(objects.map(lambda obj: getattr(obj, name)), lambda: ask(f"/{name}", ConflictKind.VALUE))

    members = {name: whole(name) for name in _WHOLE}
    members |= _merged_values(objects, _ATTRIBUTES, ask) | _merged_values(objects, _IDENTITY, ask)
    members["sensitive_attributes"] = _merged_sensitive(objects.map(lambda obj: obj.sensitive_attributes))
    members["dependencies"] = merged_list(objects.map(lambda obj: obj.dependencies))
    members["depends_on"] = merged_list(objects.map(lambda obj: obj.depends_on))
    members["unknown"] = merged_unknown(
        objects.map(lambda obj: obj.unknown), lambda name: ask(f"/{token(name)}", ConflictKind.MEMBER)
    )
    return replace(objects.ours, **members)


def _merged_values(
    objects: Versions[ResourceInstanceObject], names: tuple[str, ...], ask: AskPart
) -> dict[str, object]:
    """Merge attributes or the identity: JSON by member, but as a whole if the schema version or the form differs."""
    first, *others = names
    kinds = [[getattr(obj, name) for name in others] for obj in objects]
    if kinds[0] == kinds[1] == kinds[2]:
        merged = merged_json(objects.map(lambda obj: getattr(obj, first)), f"/{first}", ask)
        return {first: merged, **{name: getattr(objects.ours, name) for name in others}}
    found = objects.map(lambda obj: {name: getattr(obj, name) for name in names})
    return chosen(found, lambda: ask(f"/{first}", ConflictKind.VALUE))


def merged_json(values: Versions[Raw | None], path: str, ask: AskPart) -> Raw | None:
    """Merge JSON values, objects member by member; None is an absent value. What only one side changed keeps its bytes.

    Arrays are merged as a whole: they may be sets.
    """
    base, ours, theirs = values
    if _equal(ours, theirs) or _equal(theirs, base):
        return ours
    if _equal(ours, base):
        return theirs
    if ours is None or theirs is None:
        return theirs if ask(path, ConflictKind.DELETED) is MergeSide.THEIRS else ours
    before, mine, other = values.map(_members)
    if before is None or mine is None or other is None:
        return theirs if ask(path, ConflictKind.VALUE) is MergeSide.THEIRS else ours
    members: list[bytes] = []
    for name in {**mine, **other}:
        versions = Versions(before.get(name), mine.get(name), other.get(name))
        value = merged_json(versions, f"{path}/{token(name)}", ask)
        if value is not None:
            members.append(msgspec.json.encode(name) + b":" + bytes(value))
    return Raw(b"{" + b",".join(members) + b"}")


def merged_list(lists: Versions[tuple[H, ...]]) -> tuple[H, ...]:
    """Merge lists whose order means nothing: what a side added is added, and what it removed is removed."""
    base, ours, theirs = lists
    if theirs in (base, ours):
        return ours
    if ours == base:
        return theirs
    before, mine, other = lists.map(set)
    kept = [one for one in ours if one in other or one not in before]
    return (*kept, *(one for one in theirs if one not in mine and one not in before))


def merged_by_name(
    values: Versions[Mapping[str, T]],
    ask: Callable[[str], MergeSide],
    equal: Callable[[T | None, T | None], bool] = lambda one, other: one == other,
) -> tuple[T, ...]:
    """Merge named values, each as a whole; `ask` receives the name of a conflict."""
    result: list[T] = []
    for name in {**values.ours, **values.theirs}:
        base, ours, theirs = values.map(lambda side, name=name: side.get(name))  # type: ignore[misc]
        takes_theirs = not equal(ours, theirs) and not equal(theirs, base)
        if takes_theirs and not equal(ours, base):
            takes_theirs = ask(name) is MergeSide.THEIRS
        value = theirs if takes_theirs else ours
        if value is not None:
            result.append(value)
    return tuple(result)


def merged_unknown(
    values: Versions[tuple[UnknownMember, ...]], ask: Callable[[str], MergeSide]
) -> tuple[UnknownMember, ...]:
    """Merge the members that statetool does not know; `ask` receives the name of a conflict."""
    return merged_by_name(
        values.map(lambda members: {member.name: member for member in members}),
        ask,
        lambda one, other: _equal(one and one.raw, other and other.raw),
    )


def _merged_sensitive(paths: Versions[bytes]) -> bytes:
    """Merge the paths of sensitive attributes: what either side hid stays hidden."""
    lists = paths.map(lambda text: tuple(map(bytes, msgspec.json.decode(text, type=list[Raw]))))
    return b"[" + b",".join(merged_list(lists)) + b"]"


def _members(value: Raw | None) -> dict[str, Raw] | None:
    """Return the members of an object; None for any other value, a repeated name, or a value with its type."""
    text = b"" if value is None else bytes(value)
    if text[:1] != b"{":
        return None
    container = container_at(text)
    members = {item.name: Raw(text[item.value.start : item.value.end]) for item in container.items}
    return None if len(members) < len(container.items) or members.keys() == _WITH_TYPE else members


def _equal(one: Raw | None, other: Raw | None) -> bool:
    """Return whether two JSON texts are the same but for white space."""
    if one is None or other is None:
        return one is other
    return one == other or compact(bytes(one)) == compact(bytes(other))
