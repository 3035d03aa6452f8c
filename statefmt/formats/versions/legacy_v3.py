"""Defines format versions 2 and 3 as written in the file.

They have the same members; only the meaning of counts in flat attributes differs.
Source: OpenTofu `internal/states/statefile/version2.go`, `version3.go` (commit 328af77d65).
"""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Raw, UnsetType

from statefmt.formats.versions.v4 import FormatObject

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
_Unsigned = Annotated[int, Meta(ge=0)]


class RemoteV1(FormatObject):
    """`remote`: where Terraform before 0.9 kept the state (versions 1 and 2)."""

    type: str | None = None
    config: dict[str, str | None] | None = None


class BackendV3(FormatObject):
    """`backend`: which backend a configuration was initialised with."""

    type: str | None = None
    config: Raw | UnsetType = UNSET
    hash: _Unsigned | None = None


class OutputV3(FormatObject):
    """One output in versions 2 and 3."""

    sensitive: bool | None = None
    type: str | None = None
    value: Raw | UnsetType = UNSET


class InstanceV3(FormatObject):
    """One object in versions 2 and 3; `meta` holds what later became `schema_version` and `private`."""

    id: str | None = None
    attributes: dict[str, str | None] | None = None
    meta: dict[str, Raw] | None = None
    tainted: bool | None = None


class ResourceV3(FormatObject):
    """One resource instance in versions 2 and 3."""

    type: str | None = None
    depends_on: list[str | None] | None = None
    primary: InstanceV3 | None = None
    deposed: list[InstanceV3 | None] | None = None
    provider: str | None = None


class ModuleV3(FormatObject):
    """One module in versions 2 and 3."""

    path: list[str | None] | None = None
    outputs: dict[str, OutputV3 | None] | None = None
    resources: dict[str, ResourceV3 | None] | None = None
    depends_on: list[str | None] | None = None


class StateV3(FormatObject):
    """A whole document of format version 2 or 3."""

    version: Int64 | None = None
    terraform_version: str | None = None
    serial: Int64 | None = None
    lineage: str | None = None
    remote: RemoteV1 | None = None
    backend: BackendV3 | None = None
    state_store: Raw | UnsetType = UNSET
    modules: list[ModuleV3 | None] | None = None
