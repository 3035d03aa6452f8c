"""`rekey`: change instance keys, from `count` to `for_each` and back.

Dependencies are on whole resources and do not change; `depends_on`, which names instances, is updated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from statefmt.edit.arguments.key_map import KeyMap, key_text, keys_among, normal_key, normalised_note
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.changes.resources import by_address
from statefmt.edit.changes.whole_resources import named
from statefmt.edit.operations.mv import mv
from statefmt.model.addrs import AbsResource, AbsResourceInstance, InstanceKey, key_order
from statefmt.model.errors import SurgeryError
from statefmt.model.instances import InstanceState
from statefmt.model.snapshot import Snapshot


def rekey(snapshot: Snapshot, chosen: Sequence[InstanceState], keys: KeyMap) -> Edit:
    """Change the keys of the chosen instances; `keys` maps old keys to new ones in each of their resources.

    Old keys are looked up by `keys_among`; new ones are normalised. Instances with other keys stay. Raises SurgeryError
    if a resource has no chosen instance with an old key, or if two instances would get the same key.
    """
    new: dict[AbsResourceInstance, InstanceKey] = {}
    for resource, found in _by_resource(chosen).items():
        known = keys_among(keys, found)
        missing = [key for key in known if key not in found]
        if missing:
            there = named([key_text(key) for key in sorted(found, key=key_order)])
            raise SurgeryError(f"{resource}: no selected instance {_with(missing[0])}; there are:{there}")
        new |= {resource.instance(old): key for old, key in known.items()}
    edit = rekey_each(snapshot, new)
    changed = [key_text(key) for key in keys.values() if normal_key(key) != key]
    return with_note(edit, normalised_note(changed)) if changed else edit


def rekey_each(snapshot: Snapshot, keys: Mapping[AbsResourceInstance, InstanceKey]) -> Edit:
    """Give each instance its new key. Raises SurgeryError if two instances of a resource would get the same key."""
    moved = {addr: addr.containing_resource().instance(key) for addr, key in keys.items()}
    _refuse_doubles(moved)
    edit = mv(snapshot, moved)
    touched = {addr.containing_resource() for addr in keys}
    after = by_address(edit.snapshot)
    mixed = [str(addr) for addr in touched if len({type(obj.key) for obj in after[addr].objects}) > 1]
    note = (
        "a resource has either count or for_each or neither, and the next plan destroys instances with other keys; "
        f"these now have several kinds of keys:{named(sorted(mixed))}"
    )
    return Edit(edit.snapshot, edit.moved, (note,) if mixed else ())


def _refuse_doubles(moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> None:
    first: dict[AbsResourceInstance, AbsResourceInstance] = {}
    for one, other in moved.items():
        before = first.setdefault(other, one)
        if before != one:
            raise SurgeryError(
                f"{one.containing_resource()}: {key_text(before.key)} and {key_text(one.key)} would both become "
                f"{key_text(other.key)}; each instance needs its own key"
            )


def _by_resource(chosen: Sequence[InstanceState]) -> dict[AbsResource, set[InstanceKey]]:
    found: dict[AbsResource, set[InstanceKey]] = {}
    for instance in chosen:
        found.setdefault(instance.resource.addr, set()).add(instance.addr.key)
    return found


def _with(key: InstanceKey) -> str:
    return f"has the key {key}" if str(key) else "has no key"
