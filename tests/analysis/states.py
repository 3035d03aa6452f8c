"""Snapshots to look at, from a few words each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from statefmt.formats.reading import read
from statefmt.model.snapshot import Snapshot

AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'


def snapshot(*resources: Mapping[str, object], **members: object) -> Snapshot:
    """A snapshot of a state of format 4 with some resources."""
    document = {"version": 4, "terraform_version": "1.10.6", "serial": 7, "lineage": "a", "outputs": {}}
    return read(json.dumps({**document, "resources": resources, **members}).encode()).snapshot


def resource(address: str, *instances: Mapping[str, object], provider: str = "") -> dict[str, object]:
    """A resource by its address (`module.a["x"].data.aws_ami.b`), whose keys have no dots, with these instances.

    Without a provider here, each instance must name its own.
    """
    *module, type_, name = address.split(".")
    mode = "data" if module[-1:] == ["data"] else "managed"
    path = ".".join(module[: len(module) - (mode == "data")])
    given = {"mode": mode, "type": type_, "name": name, "instances": [{"attributes": {}, **one} for one in instances]}
    return {**({"module": path} if path else {}), **given, **({"provider": provider} if provider else {})}


def graph_snapshot(edges: Mapping[str, Sequence[str]]) -> Snapshot:
    """Resources by address, each with what it depends on."""
    return snapshot(
        *(resource(address, {"dependencies": list(targets)}, provider=AWS) for address, targets in edges.items())
    )
