"""Models a snapshot: the whole content of one state file."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from statefmt.model.check_results import CheckResult
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceState, UnknownMember

# A serial is an unsigned 64-bit integer.
HIGHEST_SERIAL: Final = 2**64 - 1


class Snapshot(Struct, frozen=True, kw_only=True):
    """The whole content of one state file, in file order.

    `terraform_version` is normalised (`v1.2` becomes `1.2.0`) and empty if the file has none.
    `serial` is an unsigned 64-bit integer. `source` is the file that the snapshot was read from, for rewrites that
    keep the bytes of unchanged parts; None if the file was in an older format.
    """

    terraform_version: str = ""
    serial: int = 0
    lineage: str = ""
    outputs: tuple[OutputValue, ...] = ()
    resources: tuple[ResourceState, ...] = ()
    check_results: tuple[CheckResult, ...] = ()
    unknown: tuple[UnknownMember, ...] = ()
    source: Source | None = None


class Source(Struct, frozen=True):
    """The bytes of a v4 file and the snapshot that was read from them."""

    data: bytes
    snapshot: Snapshot
