"""Instance keys: what `count` and `for_each` add to the name of one instance."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

import msgspec

from statefmt.model.addrs.quoting import hcl_quote

# How OpenTofu refuses a number that no IntKey can hold (go-cty, gocty.FromCtyValue into an int).
NOT_A_WHOLE_NUMBER: Final = "value must be a whole number, between -9223372036854775808 and 9223372036854775807"


class NoKey(Enum):
    """The key of an object without `count` and `for_each`; its one value is `NO_KEY`. As text: nothing."""

    NO_KEY = None

    __hash__ = object.__hash__  # one object, so identity is enough, and far cheaper than Enum's own

    def __str__(self) -> str:
        return ""

    def __repr__(self) -> str:
        return "NO_KEY"


class IntKey(msgspec.Struct, frozen=True, gc=False):
    """A key from `count`, at least -2**63 and below 2**63: `[0]`. Parsed ones are never negative."""

    value: int

    def __str__(self) -> str:
        return f"[{self.value}]"


class StringKey(msgspec.Struct, frozen=True, gc=False):
    """A key from `for_each`: `["a"]`, quoted as HCL does it. `StringKey("0")` is not `IntKey(0)`.

    Parsed keys are in normal form C; one that is not prints as it is, and parses back to its normal form, as in
    OpenTofu.
    """

    value: str

    def __str__(self) -> str:
        return f"[{hcl_quote(self.value)}]"


InstanceKey: TypeAlias = NoKey | IntKey | StringKey

NO_KEY: Final = NoKey.NO_KEY
