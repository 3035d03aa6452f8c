"""Changes of recorded states that break what the plan promised, each with the findings that must come of it.

A mutation changes the document of a state in place and returns what must be found: code, address and JSON pointer. It
returns None if there is nothing in the case that it could change. What to expect follows from the plan and from the
change, never from running the comparison.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

Document: TypeAlias = dict[str, Any]
Steps: TypeAlias = tuple[str | int, ...]


class Found(NamedTuple):
    """A finding: code, address, pointer."""

    code: str
    address: str
    pointer: str


@dataclass
class Case:
    """A recorded plan with its states, as decoded JSON; mutations change `before` or `after`."""

    plan: Document
    before: Document | None
    after: Document
    rng: random.Random

    @property
    def changes(self) -> list[Document]:
        """The changes of current objects."""
        return [change for change in self.plan.get("resource_changes", ()) if "deposed" not in change]

    def pick(self, found: list[Any]) -> Any:
        """Return one of several, None if there are none."""
        return self.rng.choice(found) if found else None


class Place(NamedTuple):
    """An object in a state: the positions of its block and its instance, and both."""

    block: int
    number: int
    resource: Document
    obj: Document

    @property
    def pointer(self) -> str:
        return f"/resources/{self.block}/instances/{self.number}"


class Leaf(NamedTuple):
    """A planned value: its change, its object, its path in the plan, its pointer in the state, the value."""

    change: Document
    place: Place
    path: Steps
    pointer: str
    value: Any
    unknown: bool

    @property
    def code(self) -> str:
        return "LIF011" if self.change["change"]["actions"] == ["no-op"] else "LIF006"


Mutation: TypeAlias = Callable[[Case], list[Found] | None]
MUTATIONS: Final[dict[str, Mutation]] = {}


def mutation(function: Mutation) -> Mutation:
    MUTATIONS[function.__name__] = function
    return function


def address(resource: Document, obj: Document) -> str:
    """Return the address of an object, as OpenTofu prints it."""
    module = f"{resource['module']}." if resource.get("module") else ""
    mode = "data." if resource["mode"] == "data" else ""
    key = obj.get("index_key")
    index = "" if key is None else f"[{json.dumps(key)}]"
    return f"{module}{mode}{resource['type']}.{resource['name']}{index}"


def places(state: Document) -> Iterator[Place]:
    for block, resource in enumerate(state["resources"]):
        for number, obj in enumerate(resource["instances"]):
            yield Place(block, number, resource, obj)


def place_of(state: Document | None, wanted: str, deposed: str | None = None) -> Place | None:
    for place in places(state) if state else ():
        if address(place.resource, place.obj) == wanted and place.obj.get("deposed") == deposed:
            return place
    return None


def leaves(case: Case) -> list[Leaf]:
    """Return all values that are no containers, known or not, of the objects that the plan leaves."""
    found: list[Leaf] = []
    for change in case.changes:
        place = place_of(case.after, change["address"])
        if place is not None and change["change"]["after"] is not None:
            details = change["change"]
            for name in details["after"].keys() | details["after_unknown"].keys():
                planned, mask = details["after"].get(name), details["after_unknown"].get(name)
                found += _leaves(change, place, (name,), (name, *wrapped(place.obj, name)), planned, mask)
    return sorted(found, key=lambda leaf: (leaf.place.pointer, leaf.pointer))


def wrapped(obj: Document, name: str) -> Steps:
    value = obj["attributes"].get(name)
    return ("value",) if isinstance(value, dict) and value.keys() == {"value", "type"} else ()


def _leaves(change: Document, place: Place, path: Steps, tokens: Steps, planned: Any, mask: Any) -> Iterator[Leaf]:
    if mask is not True and isinstance(planned, dict):
        masks = mask if isinstance(mask, dict) else {}
        for name in planned.keys() | masks.keys():
            yield from _leaves(change, place, (*path, name), (*tokens, name), planned.get(name), masks.get(name))
    elif mask is not True and isinstance(planned, list):
        of_elements = mask if isinstance(mask, list) else [None] * len(planned)
        for at, (element, each) in enumerate(zip(planned, of_elements, strict=True)):
            yield from _leaves(change, place, (*path, at), (*tokens, at), element, each)
    else:
        pointer = place.pointer + "/attributes/" + "/".join(map(str, tokens))
        yield Leaf(change, place, path, pointer, planned, mask is True)


def follow(document: Any, pointer: str) -> tuple[Any, Any]:
    """Return what holds the part that a pointer leads to, and the name or the position in it."""
    *around, last = pointer.split("/")[1:]
    for step in around:
        document = document[int(step) if isinstance(document, list) else step]
    return document, int(last) if isinstance(document, list) else last


def put(state: Document, pointer: str, value: Any) -> None:
    holder, last = follow(state, pointer)
    holder[last] = value


def _known(case: Case, kind: type, *, managed: bool = True) -> list[Leaf]:
    mode = "managed" if managed else "data"
    return [
        leaf for leaf in leaves(case) if not leaf.unknown and type(leaf.value) is kind and leaf.change["mode"] == mode
    ]


def _value(case: Case, leaf: Leaf | None, value: Any) -> list[Found] | None:
    if leaf is None:
        return None
    put(case.after, leaf.pointer, value)
    return [Found(leaf.code, leaf.change["address"], leaf.pointer)]


# Values


@mutation
def string_changed(case: Case) -> list[Found] | None:
    leaf = case.pick(_known(case, str))
    return leaf and _value(case, leaf, leaf.value + "-mutated")


@mutation
def string_emptied(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _known(case, str) if leaf.value])
    return leaf and _value(case, leaf, "")


@mutation
def string_in_upper_case(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _known(case, str) if leaf.value.upper() != leaf.value])
    return leaf and _value(case, leaf, leaf.value.upper())


@mutation
def number_raised(case: Case) -> list[Found] | None:
    leaf = case.pick(_known(case, int))
    return leaf and _value(case, leaf, leaf.value + 1)


@mutation
def number_off_by_little(case: Case) -> list[Found] | None:
    # A double cannot tell the two apart.
    leaf = case.pick([leaf for leaf in _known(case, int) if leaf.value])
    return leaf and _value(case, leaf, 10**30 + leaf.value)


@mutation
def number_becomes_string(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _known(case, int) if len(leaf.path) == 1])
    if leaf is None:
        return None
    put(case.after, leaf.pointer.removesuffix("/value") + "/type", "string")
    return _value(case, leaf, str(leaf.value))


@mutation
def value_nulled(case: Case) -> list[Found] | None:
    leaf = case.pick([*_known(case, str), *_known(case, int)])
    return leaf and _value(case, leaf, None)


@mutation
def null_filled(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _known(case, type(None)) if len(leaf.path) == 1])
    if leaf is None:
        return None
    put(case.after, leaf.pointer, {"value": "mutated", "type": "string"})
    return [Found(leaf.code, leaf.change["address"], f"{leaf.pointer}/value")]


@mutation
def id_changed(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _known(case, str) if leaf.path == ("id",)])
    return leaf and _value(case, leaf, "00000000-1111-2222-3333-444444444444")


@mutation
def data_value_changed(case: Case) -> list[Found] | None:
    leaf = case.pick(_known(case, str, managed=False))
    return leaf and _value(case, leaf, "mutated")


@mutation
def attribute_removed(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _known(case, str) if len(leaf.path) == 1])
    if leaf is None:
        return None
    name = leaf.path[0]
    del leaf.place.obj["attributes"][name]
    return [Found(leaf.code, leaf.change["address"], f"{leaf.place.pointer}/attributes/{name}")]


@mutation
def attribute_added(case: Case) -> list[Found] | None:
    leaf = case.pick(leaves(case))
    if leaf is None:
        return None
    leaf.place.obj["attributes"]["mutated"] = True
    return [Found(leaf.code, leaf.change["address"], f"{leaf.place.pointer}/attributes/mutated")]


class Inner(NamedTuple):
    """A container in a planned dynamic value, with the description of its type in the state."""

    leaf: Leaf
    pointer: str
    value: Any
    type: Any


def _containers(case: Case, kind: type) -> list[Inner]:
    """Return the dynamic values that are wholly known and of one kind, and have elements."""
    found: list[Inner] = []
    for change in case.changes:
        place = place_of(case.after, change["address"])
        if place is None or change["change"]["after"] is None or change["mode"] != "managed":
            continue
        for name, planned in sorted(change["change"]["after"].items()):
            mask = change["change"]["after_unknown"].get(name)
            if "true" in json.dumps(mask) or not isinstance(planned, kind) or not planned:
                continue
            pointer = f"{place.pointer}/attributes/{name}/value"
            leaf = Leaf(change, place, (name,), pointer, planned, False)
            stored = place.obj["attributes"][name]
            found.append(Inner(leaf, pointer, stored["value"], stored["type"]))
    return found


@mutation
def list_grown(case: Case) -> list[Found] | None:
    inner = case.pick(_containers(case, list))
    if inner is None:
        return None
    inner.value.append("mutated")
    inner.type[1].append("string")
    return [Found(inner.leaf.code, inner.leaf.change["address"], inner.pointer)]


@mutation
def list_shrunk(case: Case) -> list[Found] | None:
    inner = case.pick(_containers(case, list))
    if inner is None:
        return None
    inner.value.pop()
    inner.type[1].pop()
    return [Found(inner.leaf.code, inner.leaf.change["address"], inner.pointer)]


@mutation
def list_becomes_object(case: Case) -> list[Found] | None:
    inner = case.pick(_containers(case, list))
    if inner is None:
        return None
    inner.leaf.place.obj["attributes"][inner.leaf.path[0]] = {"value": {"0": "x"}, "type": ["object", {"0": "string"}]}
    return [Found(inner.leaf.code, inner.leaf.change["address"], inner.pointer)]


@mutation
def key_lost(case: Case) -> list[Found] | None:
    inner = case.pick(_containers(case, dict))
    if inner is None:
        return None
    name = case.pick(sorted(inner.value))
    del inner.value[name]
    del inner.type[1][name]
    return [Found(inner.leaf.code, inner.leaf.change["address"], f"{inner.pointer}/{name}")]


@mutation
def key_added(case: Case) -> list[Found] | None:
    inner = case.pick(_containers(case, dict))
    if inner is None:
        return None
    inner.value["mutated"] = 1
    inner.type[1]["mutated"] = "number"
    return [Found(inner.leaf.code, inner.leaf.change["address"], f"{inner.pointer}/mutated")]


@mutation
def key_of_a_map_lost(case: Case) -> list[Found] | None:
    # The same object as a map, which a plan does not tell from it.
    inner = case.pick([inner for inner in _containers(case, dict) if {*map(type, inner.value.values())} == {str}])
    if inner is None:
        return None
    inner.leaf.place.obj["attributes"][inner.leaf.path[0]]["type"] = ["map", "string"]
    name = case.pick(sorted(inner.value))
    del inner.value[name]
    return [Found(inner.leaf.code, inner.leaf.change["address"], f"{inner.pointer}/{name}")]


@mutation
def set_grown(case: Case) -> list[Found] | None:
    # The same list as a set, which a plan does not tell from it.
    inner = case.pick([inner for inner in _containers(case, list) if {*map(type, inner.value)} == {str}])
    if inner is None:
        return None
    inner.leaf.place.obj["attributes"][inner.leaf.path[0]]["type"] = ["set", "string"]
    inner.value.append("mutated")
    return [Found(inner.leaf.code, inner.leaf.change["address"], inner.pointer)]


@mutation
def element_of_a_set_changed(case: Case) -> list[Found] | None:
    inner = case.pick([inner for inner in _containers(case, list) if {*map(type, inner.value)} == {str}])
    if inner is None:
        return None
    inner.leaf.place.obj["attributes"][inner.leaf.path[0]]["type"] = ["set", "string"]
    inner.value[0] = "mutated"
    return [Found(inner.leaf.code, inner.leaf.change["address"], inner.pointer)]


# Unknown values


def _unknown(case: Case, *, deep: bool) -> list[Leaf]:
    return [leaf for leaf in leaves(case) if leaf.unknown and (len(leaf.path) > 1) is deep]


@mutation
def unknown_attribute_missing(case: Case) -> list[Found] | None:
    leaf = case.pick(_unknown(case, deep=False))
    if leaf is None:
        return None
    del leaf.place.obj["attributes"][leaf.path[0]]
    return [Found("LIF007", leaf.change["address"], f"{leaf.place.pointer}/attributes/{leaf.path[0]}")]


@mutation
def unknown_member_missing(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _unknown(case, deep=True) if isinstance(leaf.path[-1], str)])
    if leaf is None:
        return None
    holder, name = follow(case.after, leaf.pointer)
    del holder[name]
    return [Found("LIF007", leaf.change["address"], leaf.pointer)]


@mutation
def placeholder_left(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in leaves(case) if leaf.unknown])
    if leaf is None:
        return None
    put(case.after, leaf.pointer, "74D93920-ED26-11E3-AC10-0800200C9A66")
    return [Found("LIF007", leaf.change["address"], leaf.pointer)]


@mutation
def unknown_id_null(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _unknown(case, deep=False) if leaf.path == ("id",)])
    if leaf is None:
        return None
    put(case.after, leaf.pointer, None)
    return [Found("LIF007", leaf.change["address"], leaf.pointer)]


# Objects


def _with_actions(case: Case, *actions: tuple[str, ...]) -> list[Document]:
    return [change for change in case.changes if tuple(change["change"]["actions"]) in actions]


def _lose(case: Case, change: Document | None, code: str) -> list[Found] | None:
    place = None if change is None else place_of(case.after, change["address"])
    if change is None or place is None:
        return None
    place.resource["instances"].remove(place.obj)
    if not place.resource["instances"]:
        case.after["resources"].remove(place.resource)
    return [Found(code, change["address"], "")]


@mutation
def kept_instance_lost(case: Case) -> list[Found] | None:
    changes = _with_actions(case, ("no-op",), ("update",))
    return _lose(case, case.pick([change for change in changes if "importing" not in change["change"]]), "LIF002")


@mutation
def imported_instance_lost(case: Case) -> list[Found] | None:
    return _lose(case, case.pick([change for change in case.changes if "importing" in change["change"]]), "LIF001")


@mutation
def created_instance_lost(case: Case) -> list[Found] | None:
    return _lose(case, case.pick(_with_actions(case, ("create",))), "LIF001")


@mutation
def replaced_instance_lost(case: Case) -> list[Found] | None:
    return _lose(case, case.pick(_with_actions(case, ("delete", "create"), ("create", "delete"))), "LIF001")


@mutation
def read_data_lost(case: Case) -> list[Found] | None:
    return _lose(case, case.pick(_with_actions(case, ("read",))), "LIF001")


@mutation
def known_data_lost(case: Case) -> list[Found] | None:
    listed = {change["address"] for change in case.changes}
    found = [
        place for place in places(case.after)
        if place.resource["mode"] == "data" and address(place.resource, place.obj) not in listed
    ]  # fmt: skip
    place = case.pick(found)
    return place and _lose(case, {"address": address(place.resource, place.obj)}, "LIF002")


@mutation
def instance_added(case: Case) -> list[Found] | None:
    place = case.pick([place for place in places(case.after) if place.resource["mode"] == "managed"])
    if place is None:
        return None
    copy = {**deepcopy(place.obj), "index_key": "mutated"}
    place.resource["instances"].append(copy)
    pointer = f"/resources/{place.block}/instances/{len(place.resource['instances']) - 1}"
    return [Found("LIF012", address(place.resource, copy), pointer)]


@mutation
def resource_added(case: Case) -> list[Found] | None:
    obj = {"schema_version": 0, "attributes": {"id": "x"}, "sensitive_attributes": []}
    resource = {
        "mode": "managed", "type": "terraform_data", "name": "mutated",
        "provider": 'provider["terraform.io/builtin/terraform"]', "instances": [obj],
    }  # fmt: skip
    case.after["resources"].append(resource)
    pointer = f"/resources/{len(case.after['resources']) - 1}/instances/0"
    return [Found("LIF012", "terraform_data.mutated", pointer)]


def _put_back(case: Case, old: Place) -> str:
    """Put an object of the state before into the state after; return its pointer."""
    for block, resource in enumerate(case.after["resources"]):
        same = (resource.get("module"), resource["mode"], resource["type"], resource["name"])
        if same == (old.resource.get("module"), *(old.resource[name] for name in ("mode", "type", "name"))):
            resource["instances"].append(deepcopy(old.obj))
            return f"/resources/{block}/instances/{len(resource['instances']) - 1}"
    case.after["resources"].append({**deepcopy(old.resource), "instances": [deepcopy(old.obj)]})
    return f"/resources/{len(case.after['resources']) - 1}/instances/0"


@mutation
def destroyed_object_kept(case: Case) -> list[Found] | None:
    change = case.pick(_with_actions(case, ("delete",)))
    old = change and place_of(case.before, change["address"])
    return old and [Found("LIF003", change["address"], _put_back(case, old))]


@mutation
def forgotten_object_kept(case: Case) -> list[Found] | None:
    change = case.pick(_with_actions(case, ("forget",)))
    old = change and place_of(case.before, change["address"])
    return old and [Found("LIF003", change["address"], _put_back(case, old))]


@mutation
def deposed_object_kept(case: Case) -> list[Found] | None:
    change = case.pick([change for change in case.plan.get("resource_changes", ()) if "deposed" in change])
    old = change and place_of(case.before, change["address"], change["deposed"])
    return old and [Found("LIF005", change["address"], f"{_put_back(case, old)}/deposed")]


@mutation
def replaced_object_deposed(case: Case) -> list[Found] | None:
    change = case.pick(_with_actions(case, ("create", "delete"), ("delete", "create")))
    place = None if change is None else place_of(case.after, change["address"])
    if place is None:
        return None
    place.resource["instances"].append({**deepcopy(place.obj), "deposed": "deadbeef"})
    pointer = f"/resources/{place.block}/instances/{len(place.resource['instances']) - 1}/deposed"
    return [Found("LIF005", change["address"], pointer)]


def _undo(case: Case, change: Document | None) -> list[Found] | None:
    """Put the object back as it was before."""
    if change is None:
        return None
    old = place_of(case.before, str(change.get("previous_address", change["address"])))
    new = place_of(case.after, change["address"])
    if old is None or new is None:
        return None
    key = new.obj.get("index_key")
    new.resource["instances"][new.number] = deepcopy(old.obj) | ({} if key is None else {"index_key": key})
    return [Found("LIF001", change["address"], new.pointer)]


@mutation
def update_undone(case: Case) -> list[Found] | None:
    return _undo(case, case.pick(_with_actions(case, ("update",))))


@mutation
def replacement_undone(case: Case) -> list[Found] | None:
    return _undo(case, case.pick(_with_actions(case, ("delete", "create"), ("create", "delete"))))


def _moved(case: Case) -> Document | None:
    listed = [*case.changes, *case.plan.get("resource_drift", ())]
    found: Document | None = case.pick([change for change in listed if "previous_address" in change])
    return found


@mutation
def move_undone(case: Case) -> list[Found] | None:
    change = _moved(case)
    if change is None or change["change"]["actions"] not in (["no-op"], ["update"]):
        return None
    old, new = place_of(case.before, change["previous_address"]), place_of(case.after, change["address"])
    if old is None or new is None:
        return None
    case.after["resources"] = [resource for resource in case.after["resources"] if resource is not new.resource]
    new.resource["instances"].remove(new.obj)
    if new.resource["instances"]:
        case.after["resources"].append(new.resource)
    case.after["resources"].append({**deepcopy(old.resource), "instances": [deepcopy(old.obj)]})
    return [Found("LIF004", change["address"], f"/resources/{len(case.after['resources']) - 1}/instances/0")]


@mutation
def moved_and_kept(case: Case) -> list[Found] | None:
    change = _moved(case)
    if change is None:
        return None
    old = place_of(case.before, change["previous_address"])
    return None if old is None else [Found("LIF004", change["address"], _put_back(case, old))]


@mutation
def tainted(case: Case) -> list[Found] | None:
    place = case.pick([place for place in places(case.after) if place.resource["mode"] == "managed"])
    if place is None:
        return None
    place.obj["status"] = "tainted"
    return [Found("LIF008", address(place.resource, place.obj), f"{place.pointer}/status")]


@mutation
def mark_lost(case: Case) -> list[Found] | None:
    place = case.pick([place for place in places(case.after) if place.obj["sensitive_attributes"]])
    if place is None:
        return None
    place.obj["sensitive_attributes"].pop()
    return [Found("LIF009", address(place.resource, place.obj), f"{place.pointer}/sensitive_attributes")]


@mutation
def mark_added(case: Case) -> list[Found] | None:
    leaf = case.pick([leaf for leaf in _known(case, str) if leaf.path == ("id",)])
    if leaf is None:
        return None
    leaf.place.obj["sensitive_attributes"].append([{"type": "get_attr", "value": "id"}])
    return [Found("LIF009", leaf.change["address"], f"{leaf.place.pointer}/sensitive_attributes")]


# Providers


def _rebind(case: Case, provider: str) -> list[Found] | None:
    listed = {change["address"] for change in case.changes}
    found = [place for place in places(case.after) if address(place.resource, place.obj) in listed]
    place = case.pick(found)
    if place is None:
        return None
    place.resource["provider"] = provider
    return [Found("LIF010", address(place.resource, {}), f"/resources/{place.block}/provider")]


@mutation
def other_provider(case: Case) -> list[Found] | None:
    return _rebind(case, 'provider["registry.opentofu.org/hashicorp/null"]')


@mutation
def other_alias(case: Case) -> list[Found] | None:
    return _rebind(case, 'provider["terraform.io/builtin/terraform"].other')


@mutation
def other_module(case: Case) -> list[Found] | None:
    return _rebind(case, 'module.other.provider["terraform.io/builtin/terraform"]')


# Outputs


def _planned_outputs(case: Case) -> list[tuple[str, Document]]:
    return [
        (name, change) for name, change in sorted(case.plan.get("output_changes", {}).items())
        if name in case.after["outputs"]
    ]  # fmt: skip


@mutation
def output_changed(case: Case) -> list[Found] | None:
    picked = case.pick(
        [(name, change) for name, change in _planned_outputs(case) if isinstance(change.get("after"), str | int)]
    )
    if picked is None:
        return None
    case.after["outputs"][picked[0]] |= {"value": "mutated", "type": "string"}
    return [Found("LIF013", f"output.{picked[0]}", f"/outputs/{picked[0]}/value")]


@mutation
def output_retyped(case: Case) -> list[Found] | None:
    picked = case.pick([(name, change) for name, change in _planned_outputs(case) if type(change.get("after")) is int])
    if picked is None:
        return None
    output = case.after["outputs"][picked[0]]
    output |= {"value": str(output["value"]), "type": "string"}
    return [Found("LIF013", f"output.{picked[0]}", f"/outputs/{picked[0]}/value")]


@mutation
def output_part_lost(case: Case) -> list[Found] | None:
    picked = case.pick([
        (name, change) for name, change in _planned_outputs(case)
        if isinstance(change.get("after_unknown"), dict) and change["after_unknown"]
    ])  # fmt: skip
    if picked is None:
        return None
    output, part = case.after["outputs"][picked[0]], case.pick(sorted(picked[1]["after_unknown"]))
    del output["value"][part]
    del output["type"][1][part]
    return [Found("LIF013", f"output.{picked[0]}", f"/outputs/{picked[0]}/value/{part}")]


@mutation
def output_lost(case: Case) -> list[Found] | None:
    picked = case.pick([(name, change) for name, change in _planned_outputs(case) if "after" in change])
    if picked is None:
        return None
    del case.after["outputs"][picked[0]]
    return [Found("LIF013", f"output.{picked[0]}", "")]


@mutation
def output_kept(case: Case) -> list[Found] | None:
    gone = [
        name for name, change in case.plan.get("output_changes", {}).items() if change["actions"] == ["delete"]
    ]  # fmt: skip
    name = case.pick(gone)
    if name is None or case.before is None:
        return None
    case.after["outputs"][name] = case.before["outputs"][name]
    return [Found("LIF013", f"output.{name}", f"/outputs/{name}")]


@mutation
def output_added(case: Case) -> list[Found] | None:
    case.after["outputs"]["mutated"] = {"value": "x", "type": "string"}
    return [Found("LIF013", "output.mutated", "/outputs/mutated")]


@mutation
def output_flag_lost(case: Case) -> list[Found] | None:
    name = case.pick([name for name, _ in _planned_outputs(case) if case.after["outputs"][name].get("sensitive")])
    if name is None:
        return None
    del case.after["outputs"][name]["sensitive"]
    return [Found("LIF013", f"output.{name}", f"/outputs/{name}/sensitive")]


@mutation
def output_flag_added(case: Case) -> list[Found] | None:
    name = case.pick([name for name, _ in _planned_outputs(case) if not case.after["outputs"][name].get("sensitive")])
    if name is None:
        return None
    case.after["outputs"][name]["sensitive"] = True
    return [Found("LIF013", f"output.{name}", f"/outputs/{name}/sensitive")]


# The state as a whole


@mutation
def lineage_changed(case: Case) -> list[Found] | None:
    if case.before is None:
        return None
    case.after["lineage"] = "00000000-1111-2222-3333-444444444444"
    return [Found("LIF014", "", "/lineage")]


@mutation
def serial_not_raised(case: Case) -> list[Found] | None:
    changing = [change for change in case.changes if change["change"]["actions"] != ["no-op"]]
    if case.before is None or not changing:
        return None
    case.after["serial"] = case.before["serial"]
    return [Found("LIF015", "", "/serial")]


@mutation
def serial_lowered(case: Case) -> list[Found] | None:
    if case.before is None:
        return None
    case.after["serial"] = case.before["serial"] - 1
    return [Found("LIF015", "", "/serial")]


# The state before


def _planned_before(case: Case) -> Mapping[str, Place]:
    """Return the objects before by address whose values the plan has."""
    found = {change.get("previous_address", change["address"]) for change in case.changes if change["change"]["before"]}
    return {
        address(place.resource, place.obj): place
        for place in places(case.before or {"resources": []})
        if "deposed" not in place.obj and address(place.resource, place.obj) in found
    }


@mutation
def planned_for_another_value(case: Case) -> list[Found] | None:
    picked = case.pick(sorted(_planned_before(case).items()))
    if picked is None:
        return None
    picked[1].obj["attributes"]["id"] = "mutated"
    return [Found("LIF016", picked[0], f"{picked[1].pointer}/attributes/id")]


@mutation
def planned_with_another_object(case: Case) -> list[Found] | None:
    if case.before is None:
        return None
    obj = {"schema_version": 0, "attributes": {"id": "x"}, "sensitive_attributes": []}
    case.before["resources"].append({
        "mode": "managed", "type": "terraform_data", "name": "mutated",
        "provider": 'provider["terraform.io/builtin/terraform"]', "instances": [obj],
    })  # fmt: skip
    pointer = f"/resources/{len(case.before['resources']) - 1}/instances/0"
    return [Found("LIF016", "terraform_data.mutated", pointer)]
