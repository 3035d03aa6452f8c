"""Renders addresses of resource instances, one per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceState
from statefmt.render.printable import printable


def addresses_text(found: Iterable[InstanceState]) -> bytes:
    """Render one address per line. Names that OpenTofu would reject may need escapes; keys already have theirs."""
    texts = list(_texts(found))
    if not "".join(texts).isprintable():
        texts = list(map(printable, texts))
    return "".join([f"{text}\n" for text in texts]).encode()


def addresses_null(found: Iterable[InstanceState]) -> bytes:
    """Render the exact addresses, each ended by a NUL character, for `xargs -0`."""
    return "".join([f"{text}\0" for text in _texts(found)]).encode()


def _texts(found: Iterable[InstanceState]) -> Iterator[str]:
    """Yield the addresses; consecutive instances of a resource share its rendered address."""
    resource: ResourceState | None = None
    text = ""
    for instance in found:
        if instance.resource is not resource:
            resource = instance.resource
            text = str(resource.addr)
        yield f"{text}{instance.key}"
