"""Offers choices for instance keys that are invalid or of several kinds (ADR004, ADR006)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseObject, LooseState
from statefmt.edit.repairs.new_keys import key_json, new_instance_key
from statefmt.edit.repairs.offers._parts import removal
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.model.findings import Finding
from statefmt.text import pattern

_INDEX: Final = pattern(r"0|[1-9][0-9]{0,14}")
_KEY: Final = 'this key: a number, or a string as "a"'
_FORGET: Final = "the real object continues to exist"


def invalid_key_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Write a key, or none, or forget the object."""
    one = path[:-1]
    yield Choice("value", _KEY, lambda given: new_instance_key(state, one, given), "JSON")
    if not state.has_object(path, NO_KEY, state.string((*one, "deposed"))):
        yield removal(path, "no key")
    yield removal(one, f"forget the object; {_FORGET}", "forget")


def mixed_keys_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Give all instances keys of one kind, or one of them another key, or forget it."""
    objects, odd = state.objects(path), state.objects_with_key(path[:4])
    for name, text, convert in (
        ("numbers", "write the strings as numbers, as for count", _as_number),
        ("strings", "write the numbers as strings, as for for_each", _as_string),
    ):
        changes = _converted(objects, convert)
        if changes is not None:
            yield Choice(name, text, lambda _, changes=changes: changes)  # type: ignore[misc]

    def rename(given: str) -> dict[JsonPath, bytes | None]:
        changes: dict[JsonPath, bytes | None] = {}
        for one in odd:
            changes.update(new_instance_key(state, one.path, given))
        return changes

    address = state.instance_address(odd[0].path)
    yield Choice("rename", f"give {address} {_KEY}", rename, "JSON")
    yield Choice("forget", f"forget {address}; {_FORGET}", lambda _: {one.path: None for one in odd})


def _converted(
    objects: Sequence[LooseObject], convert: Callable[[InstanceKey], InstanceKey | None]
) -> dict[JsonPath, bytes | None] | None:
    """Return the changes of keys; None if a key cannot be converted, or if two objects would get the same one."""
    after: set[tuple[InstanceKey, str]] = set()
    changes: dict[JsonPath, bytes | None] = {}
    for one in objects:
        key = None if one.key is None else convert(one.key)
        if key is None or (key, one.deposed) in after:
            return None
        after.add((key, one.deposed))
        if key != one.key:
            changes[*one.path, "index_key"] = key_json(key)
    return changes


def _as_number(key: InstanceKey) -> InstanceKey | None:
    if isinstance(key, StringKey):
        return IntKey(int(key.value)) if _INDEX.fullmatch(key.value) else None
    return key if isinstance(key, IntKey) else None


def _as_string(key: InstanceKey) -> InstanceKey | None:
    if isinstance(key, IntKey):
        return StringKey(str(key.value))
    return key if isinstance(key, StringKey) else None
