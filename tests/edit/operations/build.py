"""Small snapshots out of the addresses of their instances."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from unicodedata import normalize

from statefmt.formats.reading import read
from statefmt.model.addrs import AbsResource, IntKey, StringKey
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.snapshot import Snapshot

_PROVIDER = 'provider["registry.opentofu.org/acme/t"]'


def snapshot_of(*addresses: str, z: Sequence[str] = (), providers: Mapping[str, str] | None = None) -> Snapshot:
    """Instances whose id is their address, and `t.z` with some dependencies if there are any.

    `providers` has what follows the provider source for the resource of an instance (`.west`).
    """
    resources: dict[AbsResource, dict[str, object]] = {}
    for text in (*addresses, *(["t.z"] if z else [])):
        addr = parse_abs_resource_instance(text)
        resource = addr.resource.resource
        key = {"index_key": _key(addr.key, text)} if isinstance(addr.key, (IntKey, StringKey)) else {}
        head: dict[str, object] = {
            **({"module": str(addr.module)} if addr.module else {}),
            "mode": resource.mode.value,
            "type": resource.type,
            "name": resource.name,
            "provider": _PROVIDER + (providers or {}).get(text, ""),
            "instances": [],
        }
        block = resources.setdefault(addr.containing_resource(), head)
        instance = {
            **key,
            "schema_version": 0,
            "attributes": {"id": text},
            "sensitive_attributes": [],
            **({"dependencies": list(z)} if text == "t.z" else {}),
        }
        elements = block["instances"]
        assert isinstance(elements, list)
        elements.append(instance)
    return snapshot_with(list(resources.values()))


def _key(key: IntKey | StringKey, address: str) -> int | str:
    """The key as the address has it: parsing puts it into normal form."""
    given = address.rpartition('["')[2].removesuffix('"]')
    return given if normalize("NFC", given) == key.value else key.value


def snapshot_with(resources: Sequence[object]) -> Snapshot:
    """A snapshot with such `resources`, read from compact text."""
    document = {
        "version": 4,
        "terraform_version": "1.9.0",
        "serial": 1,
        "lineage": "x",
        "outputs": {},
        "resources": resources,
        "check_results": None,
    }
    return read(json.dumps(document, separators=(",", ":")).encode()).snapshot
