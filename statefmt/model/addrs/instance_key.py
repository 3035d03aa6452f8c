"""Models instance keys, which `count` and `for_each` append to the name of an instance."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

import msgspec

from statefmt.model.addrs.quoting import hcl_quote

# OpenTofu's error for a number that does not fit into an IntKey (go-cty, gocty.FromCtyValue into an int).
NOT_A_WHOLE_NUMBER: Final = "value must be a whole number, between -9223372036854775808 and 9223372036854775807"


class NoKey(Enum):
    """The key of an object without `count` and `for_each`; its only value is `NO_KEY`, which prints as ""."""

    NO_KEY = None

    __hash__ = object.__hash__  # a single value, so identity suffices and is much cheaper than Enum's hash

    def __str__(self) -> str:
        return ""

    def __repr__(self) -> str:
        return "NO_KEY"


class IntKey(msgspec.Struct, frozen=True, gc=False):
    """A key from `count`: `[0]`. A signed 64-bit integer; parsed keys are never negative."""

    value: int

    def __str__(self) -> str:
        return f"[{self.value}]"


class StringKey(msgspec.Struct, frozen=True, gc=False):
    """A key from `for_each`: `["a"]`, quoted as in HCL. `StringKey("0")` is not `IntKey(0)`.

    Parsed keys are in NFC. As in OpenTofu, other keys print unchanged and parse back as NFC.
    """

    value: str

    def __str__(self) -> str:
        return f"[{hcl_quote(self.value)}]"


# Each is compared by its type and its value; `str()` is the form in an address.
InstanceKey: TypeAlias = NoKey | IntKey | StringKey

# Prints as "".
NO_KEY: Final = NoKey.NO_KEY
