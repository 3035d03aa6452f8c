"""Snapshots out of lines that say which instance is bound to which provider instance, and back."""

from __future__ import annotations

import re

from statefmt.model.addrs import AbsProviderInstance, AbsResource, AbsResourceInstance, IntKey, StringKey
from statefmt.model.addrs.parsing import parse_abs_provider_instance, parse_abs_resource_instance
from statefmt.model.snapshot import InstanceState, Snapshot, instances
from tests.edit.operations.build import snapshot_with

_SHORT = re.compile(r"((?:module\.\w+\.)*)([\w.-]+/)?(\w+/\w+)(.*)")
_HOST = "registry.opentofu.org/"


def bound(*lines: str) -> Snapshot:
    """Instances that each say their own provider: `t.a["x"] @ acme/t.west["k"]`; `+` is a deposed object of one."""
    resources: dict[AbsResource, dict[str, object]] = {}
    for number, line in enumerate(lines):
        address, _, provider = line.partition(" @ ")
        addr = parse_abs_resource_instance(address.removesuffix("+"))
        resource = addr.resource.resource
        head: dict[str, object] = {
            **({"module": str(addr.module)} if addr.module else {}),
            "mode": resource.mode.value,
            "type": resource.type,
            "name": resource.name,
            "instances": [],
        }
        elements = resources.setdefault(addr.containing_resource(), head)["instances"]
        assert isinstance(elements, list)
        elements.append(
            {
                **({"index_key": addr.key.value} if isinstance(addr.key, (IntKey, StringKey)) else {}),
                **({"deposed": f"{number:08x}"} if address.endswith("+") else {}),
                "provider": str(provider_instance(provider)),
                "schema_version": 0,
                "attributes": {"id": address},
                "sensitive_attributes": [],
            }
        )
    return snapshot_with(list(resources.values()))


def lines(snapshot: Snapshot) -> list[str]:
    """What `bound` takes, for each object of a snapshot."""
    return [
        f"{instance.addr}{'' if obj.is_current else '+'} @ {_short(instance.provider(obj))}"
        for instance in instances(snapshot)
        for obj in instance.objects
    ]


def provider_instance(short: str) -> AbsProviderInstance:
    """`acme/t.west["k"]` as an address; the host is OpenTofu's registry unless there is another."""
    match = _SHORT.fullmatch(short)
    assert match is not None, short
    return parse_abs_provider_instance(f'{match[1]}provider["{match[2] or _HOST}{match[3]}"]{match[4]}')


def chosen(snapshot: Snapshot, *addresses: str) -> list[InstanceState]:
    """The instances at some addresses; of a resource all of them."""
    return [
        instance
        for instance in instances(snapshot)
        if {str(instance.addr), str(instance.addr.containing_resource())} & set(addresses)
    ]


def addresses(found: list[InstanceState]) -> list[AbsResourceInstance]:
    return [instance.addr for instance in found]


def _short(provider: AbsProviderInstance | None) -> str:
    return re.sub(r'provider\["(?:registry\.opentofu\.org/)?([^"]*)"\]', r"\1", str(provider))
