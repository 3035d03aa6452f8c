"""Addresses of resource instances, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from statefmt.addrs import AbsResourceInstance, ModuleInstance, Resource
from statefmt.render.printable import printable


def addresses_text(addrs: Sequence[AbsResourceInstance]) -> bytes:
    """One address a line. Names that OpenTofu would not accept may need escapes; keys always have theirs."""
    return "".join([f"{printable(text)}\n" for text in _texts(addrs)]).encode()


def addresses_null(addrs: Sequence[AbsResourceInstance]) -> bytes:
    """The exact addresses, each ended by a NUL character, for `xargs -0`."""
    return "".join([f"{text}\0" for text in _texts(addrs)]).encode()


def _texts(addrs: Sequence[AbsResourceInstance]) -> Iterator[str]:
    """The addresses as texts; of neighbours, the instances of one resource, the resource is made text once."""
    module: ModuleInstance | None = None
    resource: Resource | None = None
    text = ""
    for addr in addrs:
        if addr.resource.resource is not resource or addr.module is not module:
            module, resource = addr.module, addr.resource.resource
            text = str(addr.containing_resource())
        yield f"{text}{addr.resource.key}"
