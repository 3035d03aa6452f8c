"""What a state file says, member by member, so that two files can be told apart in substance and not in layout."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.property.hcl_text import hcl_quoted

# An address and a member of what is there, with the member's JSON text.
Content = dict[tuple[str, str], str]

_HEAD: Final = frozenset({"module", "mode", "type", "name", "provider"})


def content(text: bytes | str) -> Content:
    """Everything in a state of format 4 but the version of the program that wrote it.

    Numbers are compared as text, attributes with the order of their members. Members that are null, false or empty say
    nothing, and neither does `identity_schema_version` where there is no identity.
    """
    document = json.loads(text, parse_int=_number, parse_float=_number)
    parts: list[tuple[str, dict[str, Any]]] = [("", document)]
    parts += [(f"output.{name}", output) for name, output in document["outputs"].items()]
    for resource in document["resources"]:
        address = resource_address(resource)
        head = {member: value for member, value in resource.items() if member in _HEAD}
        # What stands at the resource is said of each object, wherever a program writes it.
        parts += [(_object(address, each), {**head, **each}) for each in resource["instances"]]
        parts.append((address, {k: v for k, v in resource.items() if k not in _HEAD or not resource["instances"]}))
    # The programs write the results of checks in any order.
    parts += [(check["config_addr"], _in_one_order(check)) for check in document.get("check_results") or ()]
    return {
        (address, member): json.dumps(value)
        for address, members in parts
        for member, value in members.items()
        if _says_something(member, value, members)
    }


def _says_something(member: str, value: Any, members: dict[str, Any]) -> bool:
    if member in ("outputs", "resources", "instances", "check_results", "terraform_version"):
        return False
    if member == "identity_schema_version" and not members.get("identity"):
        return False
    return member == "value" or value not in (None, False, "", [], {})


def _number(text: str) -> dict[str, str]:
    return {"number": text}


def resource_address(members: dict[str, Any]) -> str:
    """The address that `state list` has for a resource, without a key."""
    module = f"{members['module']}." if members.get("module") else ""
    mode = "" if members["mode"] == "managed" else f"{members['mode']}."
    return f"{module}{mode}{members['type']}.{members['name']}"


def _object(resource: str, members: dict[str, Any]) -> str:
    """The address of an instance, and which of its objects it is."""
    deposed = f" (deposed {members['deposed']})" if members.get("deposed") else ""
    return f"{resource}{_key(members.get('index_key'))}{deposed}"


def _key(key: str | dict[str, str] | None) -> str:
    if key is None:
        return ""
    return f"[{hcl_quoted(key) if isinstance(key, str) else key['number']}]"


def _in_one_order(check: dict[str, Any]) -> dict[str, Any]:
    objects = [{k: v for k, v in each.items() if _says_something(k, v, each)} for each in check["objects"] or ()]
    return {**check, "objects": sorted(objects, key=json.dumps)}


def lost(before: Content, after: Content) -> set[tuple[str, str]]:
    """What is gone or changed. All of an object is named by its provider, all of a check as `check_results`."""
    changed = {place for place in before if before[place] != after.get(place)}
    return {_place_of_all(at, before, after) or (at, member) for at, member in changed}


def _place_of_all(at: str, before: Content, after: Content) -> tuple[str, str] | None:
    for always_there, name in (
        ("mode", "provider"),
        ("object_kind", "check_results"),
        ("config_addr", "check_results"),
    ):
        if (at, always_there) in before and (at, always_there) not in after:
            return at, name
    return None


def gained(before: Content, after: Content) -> set[tuple[str, str]]:
    """What is there in the second only. Terraform makes a missing version of an identity 0, which is what it means."""
    return {
        place
        for place in after.keys() - before.keys()
        if (place[1], after[place]) != ("identity_schema_version", json.dumps(_number("0")))
    }


def objects(state: Content) -> set[str]:
    """The addresses of all objects of instances, and of resources without any."""
    return {at for at, member in state if member == "mode"}


def instances(text: bytes) -> list[str]:
    """The addresses of all instances in a state of format 4, sorted, each once: what `state list` has lines for."""
    return sorted(
        {
            f"{resource_address(resource)}{_key(each.get('index_key'))}"
            for resource in json.loads(text, parse_int=_number)["resources"]
            for each in resource["instances"]
        }
    )
