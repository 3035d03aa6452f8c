"""Addresses of resource instances, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceState
from statefmt.render.printable import printable


def addresses_text(found: Iterable[InstanceState]) -> bytes:
    """One address a line. Names that OpenTofu would not accept may need escapes; keys always have theirs."""
    texts = list(_texts(found))
    if not "".join(texts).isprintable():
        texts = list(map(printable, texts))
    return "".join([f"{text}\n" for text in texts]).encode()


def addresses_null(found: Iterable[InstanceState]) -> bytes:
    """The exact addresses, each ended by a NUL character, for `xargs -0`."""
    return "".join([f"{text}\0" for text in _texts(found)]).encode()


def _texts(found: Iterable[InstanceState]) -> Iterator[str]:
    """The addresses as texts; of neighbours, the instances of one resource, the resource is made text once."""
    resource: ResourceState | None = None
    text = ""
    for instance in found:
        if instance.resource is not resource:
            resource = instance.resource
            text = str(resource.addr)
        yield f"{text}{instance.key}"
