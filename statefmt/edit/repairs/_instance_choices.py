"""Offers choices for instances and their objects: keys, duplicates, status, sensitive paths."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, TypeAlias

from msgspec import Raw

from statefmt.analysis.object_id import SECRET_IDS, id_is_sensitive
from statefmt.edit.repairs._loose_state import INSTANCES, PROVIDER, RESOURCES, LooseObject, LooseState
from statefmt.edit.repairs.member_choices import Choice, json_value, removal, renaming, replacement
from statefmt.formats.raw_json import container_at
from statefmt.formats.writing.changes import JsonPath, MovedText
from statefmt.golang import JSONValue, Members, NumberText, compact, encode_string, fold_name, loads_exact
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.model.cty.paths import canonical_paths
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.attribute_values import Withheld, withheld_members
from statefmt.redaction.object_value import id_scope
from statefmt.redaction.partial import HIDDEN
from statefmt.text import pattern

_FORGET_OBJECT: Final = "forget the object; the real one continues to exist"


def mode_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Set the mode of the resource, or forget it."""
    # A block that is null or has no type has no mode.
    if state.string((*path[:-1], "type")):
        yield replacement(path, b'"managed"', "managed", "it is a resource")
        yield replacement(path, b'"data"', "data", "it is a data source")
    yield removal(path[:-1], "forget the resource; the real objects continue to exist", "forget")


def status_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Let the next apply replace the object, or mark it as ready."""
    yield replacement(path, b'"tainted"', "tainted", "tainted: the next apply replaces it")
    yield removal(path, "the object is whole", "ready")


def damaged_value_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Offer nothing: only a backup has the values."""
    yield from ()


def deposed_key_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Write another deposed key, or forget the object."""
    # Derived from the content, so that the same input gives the same bytes.
    new = hashlib.sha256(state.raw(path[:-1]) or b"").hexdigest()[:DEPOSED_KEY]
    yield replacement(path, encode_string(new), "new-key", f"the deposed key {new}")
    one = path[:-1]
    text = f"this deposed key, of {DEPOSED_KEY} characters"
    yield Choice("key", text, lambda given: new_deposed_key(state, one, given), "KEY")
    yield removal(path[:-1], _FORGET_OBJECT, "forget")


def sensitive_paths_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep the readable paths, or convert names of attributes to paths."""
    text = state.raw(path) or b""
    names = _names(text)
    attributes = state.raw((*path[:-1], "attributes")) or b"null"
    known = loads_exact(attributes, replace_invalid=True)
    if names and isinstance(known, Members) and all(name in dict(known) for name in names):
        steps = b",".join(b'[{"type":"get_attr","value":%s}]' % encode_string(name) for name in names)
        listed = ", ".join(names)
        yield replacement(path, b"[" + steps + b"]", "convert", f"mark these attributes as sensitive: {listed}")
    yield json_value(path, "these paths, as a JSON array")
    if text.startswith(b"["):
        dropped = {
            (*path, str(number)): None
            for number, item in enumerate(container_at(text).items)
            if canonical_paths(b"[" + text[item.value.start : item.value.end] + b"]")[1]
        }
        yield Choice(
            "drop-invalid", "drop the paths that cannot be read; their values may then be shown", lambda _: dropped
        )
    yield removal(path, "drop all paths; OpenTofu then shows the values unless the schema hides them")


def missing_path_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Drop a path that leads nowhere, or write another one."""
    yield removal(path, "drop the path, which hides nothing")
    yield json_value(path, "this path, as a JSON array of steps")


def both_forms_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep one of the two forms of attributes."""
    yield removal(path, 'keep "attributes", which counts', "typed")
    yield removal((*path[:-1], "attributes"), 'keep "attributes_flat"', "flat")


def _names(text: bytes) -> list[str]:
    """Return the names if the paths are a list of names, else nothing."""
    given = loads_exact(text, replace_invalid=True)
    if not isinstance(given, list):
        return []
    return [name for name in given if isinstance(name, str)] if all(type(name) is str for name in given) else []


_INDEX: Final = pattern(r"0|[1-9][0-9]{0,14}")
_KEY: Final = 'this key: a number, or a string as "a"'
_FORGET: Final = "the real object continues to exist"


def invalid_key_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Set or remove the key, or forget the object."""
    one = path[:-1]
    yield Choice("value", _KEY, lambda given: new_instance_key(state, one, given), "JSON")
    if not state.has_object(path, NO_KEY, state.string((*one, "deposed"))):
        yield removal(path, "no key")
    yield removal(one, f"forget the object; {_FORGET}", "forget")


def mixed_keys_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Give all instances keys of one kind, or change the key of one instance, or forget it."""
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
    """Return the changes of keys; None if a key cannot be converted, or if two objects would get the same key."""
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


def duplicate_instance_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep one object and forget the others, or give the first or the last another key."""
    if path[0] != RESOURCES:
        yield from _of_old_format(state, path, finding.address)
        return
    objects = [one.path for one in state.objects_like(path)]

    def keep(name: str, kept: JsonPath) -> Choice:
        return Choice(name, _kept(state, kept, objects), lambda _: _without(objects, kept))

    yield keep("keep=first", objects[0])
    yield keep("keep=last", objects[-1])
    latest = newest(state, objects)
    if latest is not None:
        yield keep("keep=newest", latest)
    yield Choice(
        "keep=id",
        "keep the object with this id and forget the others",
        lambda given: _without(objects, _with_id(state, objects, given)),
        "ID",
    )
    if len(objects) > 2:
        yield Choice(
            "forget=id",
            "forget the object with this id; the real object continues to exist",
            lambda given: {_with_id(state, objects, given): None},
            "ID",
        )
    yield from _renamings(state, objects)


def _of_old_format(state: LooseState, path: JsonPath, address: str) -> Iterator[Choice]:
    """Offer the same choices for module entries in states of versions 1 to 3."""
    entries = state.old_entries(address)
    yield Choice("keep=first", "keep the first entry and forget the others", lambda _: _without(entries, entries[0]))
    yield Choice("keep=last", "keep the last entry and forget the others", lambda _: _without(entries, entries[-1]))
    yield renaming(state, path)


def _renamings(state: LooseState, objects: Sequence[JsonPath]) -> Iterator[Choice]:
    """Offer another, unused key for one object."""
    is_deposed = bool(state.string((*objects[0], "deposed")))
    what, value = ("deposed key", "KEY") if is_deposed else ('key: a number, or a string as "a"', "JSON")
    write = new_deposed_key if is_deposed else new_instance_key
    first, last = objects[0], objects[-1]
    yield Choice("rename", f"give the last object this {what}", lambda given: write(state, last, given), value)
    yield Choice("rename-first", f"give the first object this {what}", lambda given: write(state, first, given), value)


def _without(objects: Sequence[JsonPath], kept: JsonPath) -> dict[JsonPath, bytes | None]:
    return {one: None for one in objects if one != kept}


def _with_id(state: LooseState, objects: Sequence[JsonPath], given: str) -> JsonPath:
    found = [one for one in objects if state.object_id(one) == given]
    if len(found) != 1:
        raise SurgeryError(f"{len(found)} of the {len(objects)} objects have this id")
    return found[0]


def _kept(state: LooseState, kept: JsonPath, objects: Sequence[JsonPath]) -> str:
    """Return a sentence about the kept and the forgotten objects."""
    others = [one for one in objects if one != kept]
    if len(others) == 1:
        forgotten = f"forget {_called(state, others[0], 'the other')}"
    else:
        forgotten = f"forget the {len(others)} others"
    return f"keep {_called(state, kept, 'it')} and {forgotten}; the real objects continue to exist"


def _called(state: LooseState, one: JsonPath, otherwise: str) -> str:
    named = shown_id(state, one)
    return f"the object with the id {named}" if named else otherwise


def shared_object_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep one address and forget the others, in one choice, so that no decision forgets all of them."""
    addresses = {one: state.instance_address(one) for one in same_object(state, path)}

    def keep(given: str) -> dict[JsonPath, bytes | None]:
        if given not in addresses.values():
            raise SurgeryError(f"{given!r} is none of the addresses: {', '.join(addresses.values())}")
        return {one: None for one, address in addresses.items() if address != given}

    forgotten = "the other address" if len(addresses) == 2 else f"the {len(addresses) - 1} other addresses"
    text = f"keep this address and forget {forgotten}; the real object continues to exist"
    yield Choice("keep", text, keep, "ADDRESS", alone=True)


def same_object(state: LooseState, path: JsonPath) -> Sequence[JsonPath]:
    """Return the objects that are the same real object as one of them, in file order."""
    return state.once(_by_real_object).get(_real_object(state, path), (path,))


def _by_real_object(state: LooseState, _: JsonPath) -> Mapping[Hashable, Sequence[JsonPath]]:
    found: dict[Hashable, list[JsonPath]] = {}
    for block in state.parts((RESOURCES,)):
        for one in state.parts((*block, INSTANCES)):
            if state.object_id(one) and not state.string((*one, "deposed")):
                found.setdefault(_real_object(state, one), []).append(one)
    return found


def _real_object(state: LooseState, one: JsonPath) -> Hashable:
    """Return the identity of the real object."""
    raw = state.raw((*one, "attributes"))
    provider = state.object(one).provider
    kind = state.string((*one[:2], "mode")), state.string((*one[:2], "type"))
    return kind, provider, state.object_id(one), id_scope(None if raw is None else Raw(raw), None)


_JOINED: Final = frozenset({"module", "mode", "type", "name", "each", PROVIDER, INSTANCES})


def spread_resource_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Join the blocks of a resource into the first that has objects."""
    blocks = state.blocks(path)
    base = next((block for block in blocks if next(state.parts((*block, INSTANCES)), None)), blocks[0])
    others = [block for block in blocks if block != base]
    extra = _unknown(state, base, others)
    if extra is None or len({state.string((*block, PROVIDER)) for block in blocks}) > 1:
        return
    number = f"{len(others)} other {'block' if len(others) == 1 else 'blocks'}"
    yield Choice("merge", f"join it with {number}; no object is lost", lambda _: extra | _moved(state, base, others))


def _moved(state: LooseState, base: JsonPath, others: Sequence[JsonPath]) -> dict[JsonPath, bytes | None]:
    changes: dict[JsonPath, bytes | None] = dict.fromkeys(others)
    for block in others:
        for one in state.parts((*block, INSTANCES)):
            changes[*base, INSTANCES, f"-{block[-1]}-{one[-1]}"] = MovedText(state.raw(one) or b"null", one)
    return changes


def _unknown(state: LooseState, base: JsonPath, others: Sequence[JsonPath]) -> dict[JsonPath, bytes | None] | None:
    """Return the unknown members of other blocks for the joined block; None if they differ."""
    extra: dict[JsonPath, bytes | None] = {}
    for block in others:
        for name in state.names(block):
            if fold_name(name) in _JOINED:
                continue
            raw, there = state.raw((*block, name)), extra.get((*base, name), state.raw((*base, name)))
            if raw is None or (there is not None and compact(there) != compact(raw)):
                return None
            if there is None:
                extra[*base, name] = raw
    return extra


# Attributes in which providers store the creation time of the real object.
CREATION_TIMES: Final = (
    "created_at", "create_time", "creation_time", "created_time", "time_created", "creation_date", "create_date",
    "created_date", "date_created", "creation_timestamp", "created_timestamp", "create_timestamp", "created_on",
)  # fmt: skip
_RFC_3339: Final = pattern(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)")
# In UTC, to the second; then the fraction's digits, which sort as text.
_Time: TypeAlias = tuple[datetime, str]


def newest(state: LooseState, objects: Sequence[JsonPath]) -> JsonPath | None:
    """Return the object that was created last; None unless all objects have the same creation attribute.

    If there are several such attributes, they must agree.
    """
    found = set()
    for name in CREATION_TIMES:
        times = [_time(state.string((*one, "attributes", name))) for one in objects]
        known = [time for time in times if time is not None]
        if len(known) < len(objects):
            if known:
                # The creation times of the other objects are unknown.
                return None
            continue
        latest = max(known)
        if known.count(latest) > 1:
            return None
        found.add(objects[known.index(latest)])
    return found.pop() if len(found) == 1 else None


def _time(text: str) -> _Time | None:
    match = _RFC_3339.fullmatch(text)
    if match is None:
        return None
    day, time, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{time}{zone.upper()}")
        return moment.astimezone(UTC), (fraction or "").rstrip("0")
    except (ValueError, OverflowError):
        return None


DEPOSED_KEY: Final = 8


def new_instance_key(state: LooseState, one: JsonPath, given: str) -> dict[JsonPath, bytes | None]:
    """Return the change that gives an object an instance key, as JSON. Raises SurgeryError."""
    key = parse_key(given)
    if state.has_object(one, key, state.string((*one, "deposed"))):
        raise SurgeryError(f"{state.resource_address(one[:2])} already has an object with the key {given}")
    return {(*one, "index_key"): key_json(key)}


def new_deposed_key(state: LooseState, one: JsonPath, given: str) -> dict[JsonPath, bytes | None]:
    """Return the change that gives a deposed object another deposed key. Raises SurgeryError."""
    if len(given.encode()) != DEPOSED_KEY:
        raise SurgeryError(f"{given!r} is not a deposed key, which has exactly {DEPOSED_KEY} bytes")
    if any(other.deposed == given for other in state.objects_with_key(one)):
        raise SurgeryError(f"the instance already has an object with the deposed key {given}")
    return {(*one, "deposed"): encode_string(given)}


def parse_key(given: str) -> InstanceKey:
    """Parse an instance key from JSON: a whole number or a string. Raises SurgeryError."""
    try:
        value = loads_exact(given.encode())
    except ValueError:
        value = None
    if isinstance(value, NumberText) and _INDEX.fullmatch(value):
        return IntKey(int(value))
    if isinstance(value, str) and not isinstance(value, NumberText):
        return StringKey(value)
    raise SurgeryError(f"{given!r} is not a key: write a whole number, or a string in double quotes")


def key_json(key: InstanceKey) -> bytes:
    """Return the JSON text of a number or string key."""
    assert isinstance(key, (IntKey, StringKey))
    return encode_string(key.value) if isinstance(key, StringKey) else str(key.value).encode()


def shown_id(state: LooseState, instance: JsonPath) -> str:
    """Return the id of an object, HIDDEN if it may be secret, "" if there is none."""
    found = state.object_id(instance)
    if not found or state.show_sensitive:
        return found
    type_name = state.string((*instance[:2], "type")) or ""
    is_secret = type_name in SECRET_IDS or _is_sensitive(state, instance, found, type_name)
    return HIDDEN if is_secret else found


def _is_sensitive(state: LooseState, instance: JsonPath, name: str, type_name: str) -> bool:
    """Return whether the id is sensitive, or equals another sensitive value; True if in doubt."""
    raw = state.raw((*instance, "attributes"))
    flat = loads_exact(state.raw((*instance, "attributes_flat")) or b"null", replace_invalid=True)
    obj = ResourceInstanceObject(
        attributes=None if raw is None or raw == b"null" else Raw(raw),
        attributes_flat=_strings(flat),
        sensitive_attributes=state.raw((*instance, "sensitive_attributes")) or b"[]",
    )
    if id_is_sensitive(obj, type_name):
        return True
    hidden = (part.raw for part in withheld_members(obj, type_name).values() if isinstance(part, Withheld))
    return any(loads_exact(bytes(part), replace_invalid=True) == name for part in hidden)


def _strings(flat: JSONValue) -> dict[str, str]:
    members = dict(flat) if isinstance(flat, Members) else {}
    return {name: text for name, text in members.items() if isinstance(text, str) and not isinstance(text, NumberText)}
