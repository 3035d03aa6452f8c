"""Snapshots in a few words, for tables of comparisons."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from statefmt.formats.reading import read
from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.snapshot import Snapshot

AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'


def snapshot(*instances: str | tuple[str, Mapping[str, Any]], **members: object) -> Snapshot:
    """A snapshot of instances, each `ADDRESS = ID`, or such a text with more members of its object.

    The attributes are the `id`, and those given, unless there are flat ones. A member `provider` is
    that of the resource.
    """
    resources: dict[str, dict[str, Any]] = {}
    for given in instances:
        text, more = (given, {}) if isinstance(given, str) else given
        address, _, name = text.partition(" = ")
        addr = parse_abs_resource_instance(address)
        resource = addr.resource.resource
        block = resources.setdefault(
            str(addr.containing_resource()),
            {
                **({"module": str(addr.module)} if addr.module else {}),
                "mode": resource.mode.value,
                "type": resource.type,
                "name": resource.name,
                "provider": more.get("provider", AWS),
                "instances": [],
            },
        )
        attributes = {**({"id": name} if name else {}), **more.get("attributes", {})}
        members_of = {key: value for key, value in more.items() if key not in ("attributes", "provider")}
        key = {"index_key": addr.key.value} if isinstance(addr.key, (IntKey, StringKey)) else {}
        own = {} if "attributes_flat" in more else {"attributes": attributes}
        block["instances"].append({"schema_version": 0, **own, **key, **members_of})
    document = {"version": 4, "terraform_version": "1.9.4", "serial": 1, "lineage": "l", "outputs": {}, **members}
    return read(json.dumps({**document, "resources": list(resources.values())}).encode()).snapshot
