"""Holds one entry of a module's `resources` in format version 3 while it is upgraded."""

from __future__ import annotations

from msgspec import Struct

from statefmt.formats.raw_json.pointer import token
from statefmt.formats.versions.legacy_v3 import ResourceV3
from statefmt.model.addrs import ResourceInstance


class ResourceEntry(Struct, frozen=True, gc=False):
    """One entry: an instance of a resource. Address and pointer are made for messages only."""

    module: str
    within: str
    name: str
    addr: ResourceInstance
    document: ResourceV3

    @property
    def text(self) -> str:
        """The full address, in the current form."""
        return f"{self.module}.{self.addr}" if self.module else str(self.addr)

    @property
    def pointer(self) -> str:
        """The pointer to the entry; `within` is that of its module."""
        return f"{self.within}/resources/{token(self.name)}"
