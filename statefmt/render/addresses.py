"""Addresses of resource instances, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.addrs import AbsResourceInstance
from statefmt.render.printable import printable


def addresses_text(addrs: Sequence[AbsResourceInstance]) -> bytes:
    """One address a line. Names that OpenTofu would not accept may need escapes; keys always have theirs."""
    return "".join([f"{printable(str(addr))}\n" for addr in addrs]).encode()


def addresses_null(addrs: Sequence[AbsResourceInstance]) -> bytes:
    """The exact addresses, each ended by a NUL character, for `xargs -0`."""
    return "".join([f"{addr}\0" for addr in addrs]).encode()
