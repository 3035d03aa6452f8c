"""Addresses of resource instances, for `list`."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.addrs import AbsResourceInstance, IntKey, StringKey
from statefmt.render.json_output import document


def addresses_text(addrs: Sequence[AbsResourceInstance]) -> bytes:
    """One address a line."""
    return "".join(f"{addr}\n" for addr in addrs).encode()


def addresses_json(addrs: Sequence[AbsResourceInstance]) -> bytes:
    """Each address with its parts (schema: `list-output.schema.json`)."""
    return document({"instances": [_instance(addr) for addr in addrs]})


def _instance(addr: AbsResourceInstance) -> dict[str, object]:
    key = addr.key
    resource = addr.resource.resource
    return {
        "address": str(addr),
        "module": str(addr.module),
        "mode": resource.mode.value,
        "type": resource.type,
        "name": resource.name,
        "key": key.value if isinstance(key, (IntKey, StringKey)) else None,
    }
