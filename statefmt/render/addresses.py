"""Renders addresses of resource instances, one per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from statefmt.model.addrs import NO_KEY
from statefmt.model.snapshot import InstanceState, ResourceState
from statefmt.text import printable

_AT_ONCE: Final = 1024


def addresses_text(found: Iterable[InstanceState]) -> Iterator[bytes]:
    """Render one address per line, in parts. Names that OpenTofu would reject may need escapes; keys do not."""
    texts = _texts(found)
    while some := list(islice(texts, _AT_ONCE)):
        if not "".join(some).isprintable():
            some = list(map(printable, some))
        yield "\n".join([*some, ""]).encode()


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
        yield text if instance.key is NO_KEY else f"{text}{instance.key}"
