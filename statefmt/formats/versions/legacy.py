"""Defines format version 1 as written in the file.

Source: OpenTofu `internal/states/statefile/version1.go` (commit 328af77d65).
"""

from __future__ import annotations

from statefmt.formats.versions.legacy_v3 import Int64, RemoteV1
from statefmt.formats.versions.v4 import FormatObject


class InstanceV1(FormatObject):
    """One object in version 1."""

    id: str | None = None
    attributes: dict[str, str | None] | None = None
    meta: dict[str, str | None] | None = None


class ResourceV1(FormatObject):
    """One resource instance in version 1, with its current, tainted and deposed objects."""

    type: str | None = None
    depends_on: list[str | None] | None = None
    primary: InstanceV1 | None = None
    tainted: list[InstanceV1 | None] | None = None
    deposed: list[InstanceV1 | None] | None = None
    provider: str | None = None


class ModuleV1(FormatObject):
    """One module in version 1; `path` starts with `root`."""

    path: list[str | None] | None = None
    outputs: dict[str, str | None] | None = None
    resources: dict[str, ResourceV1 | None] | None = None
    depends_on: list[str | None] | None = None


class StateV1(FormatObject):
    """A whole document of format version 1."""

    version: Int64 | None = None
    serial: Int64 | None = None
    remote: RemoteV1 | None = None
    modules: list[ModuleV1 | None] | None = None
