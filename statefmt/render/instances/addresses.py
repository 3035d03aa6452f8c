"""Renders addresses of resource instances, one per line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from statefmt.model.addrs import NO_KEY
from statefmt.model.instances import InstanceState
from statefmt.model.resources import ResourceState
from statefmt.render.printable import printable

_AT_ONCE: Final = 4096


def addresses_text(found: Iterable[InstanceState]) -> bytes:
    """Render one address per line. Names that OpenTofu would reject may need escapes; keys already have theirs."""
    texts = _texts(found)
    # Not all at once, which would take much memory.
    return b"".join(iter(lambda: _lines(list(islice(texts, _AT_ONCE))), b""))


def _lines(texts: list[str]) -> bytes:
    if not "".join(texts).isprintable():
        texts = list(map(printable, texts))
    return "\n".join([*texts, ""]).encode()


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
