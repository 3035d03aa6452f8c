"""Models root module output values."""

from __future__ import annotations

from msgspec import Struct

from statefmt.model.resources import UnknownMember


class OutputValue(Struct, frozen=True, kw_only=True):
    """An output of the root module.

    `value` and `type` are canonical JSON text, re-encoded by type as OpenTofu does when it writes.
    Source: OpenTofu `internal/states/output_value.go`, `statefile/version4.go`.
    """

    name: str
    value: bytes
    type: bytes
    sensitive: bool = False
    deprecated: str = ""
    unknown: tuple[UnknownMember, ...] = ()
