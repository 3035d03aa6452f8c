"""Defines format version 4 as written in the file: typed members, with everything provider-owned left raw.

Every member may be missing or null, as in Go's decoder. `unknown` collects the members that these types do not
name; `statefmt.formats.versions.decode` fills it, never JSON.
Source: OpenTofu `internal/states/statefile/version4.go` (1.13 and the main branch of August 2026).
"""

from __future__ import annotations

from msgspec import UNSET, Raw, Struct, UnsetType, field

from statefmt.model.resources import UnknownMember

# A member name that no program writes (a private-use character), so that `unknown` can be an ordinary field.
_NOT_JSON = "\ue000unknown"


class FormatObject(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """An object of a state format: the members that the format names, and any unknown ones."""

    unknown: tuple[UnknownMember, ...] = field(default=(), name=_NOT_JSON)


IndexKey = int | float | str | bool | list[Raw] | dict[str, Raw] | None


class OutputV4(FormatObject):
    """One entry of `outputs`."""

    value: Raw | UnsetType = UNSET
    type: Raw | UnsetType = UNSET
    sensitive: bool | None = None
    deprecated: str | None = None


class InstanceObjectV4(FormatObject):
    """One entry of a resource's `instances`: an object, current or deposed."""

    index_key: IndexKey = None
    status: str | None = None
    deposed: str | None = None
    provider: str | None = None
    schema_version: int | None = None
    attributes: Raw | UnsetType = UNSET
    attributes_flat: dict[str, str | None] | None = None
    sensitive_attributes: Raw | UnsetType = UNSET
    private: str | list[int] | None = None
    dependencies: list[str | None] | None = None
    depends_on: list[str | None] | None = None
    create_before_destroy: bool | None = None
    skip_destroy: bool | None = None
    identity: Raw | UnsetType = UNSET
    identity_schema_version: int | None = None


class ResourceV4(FormatObject):
    """One entry of `resources`. Terraform 0.12 wrote `each`; it is read but never written."""

    module: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    each: str | None = None
    provider: str | None = None
    instances: list[InstanceObjectV4 | None] | None = None

    def address(self) -> str:
        """Return the resource's address, even if parts of it are invalid."""
        mode = "data." if self.mode == "data" else ""
        address = f"{mode}{self.type or ''}.{self.name or ''}"
        return f"{self.module}.{address}" if self.module else address


class CheckObjectV4(FormatObject):
    """One entry of a check result's `objects`."""

    object_addr: str | None = None
    status: str | None = None
    failure_messages: list[str | None] | None = None


class CheckResultV4(FormatObject):
    """One entry of `check_results`."""

    object_kind: str | None = None
    config_addr: str | None = None
    status: str | None = None
    objects: list[CheckObjectV4 | None] | None = None


class StateV4(FormatObject):
    """A whole document of format version 4."""

    version: Raw | UnsetType = UNSET
    terraform_version: str | None = None
    serial: int | None = None
    lineage: str | None = None
    outputs: dict[str, OutputV4 | None] | None = None
    resources: list[ResourceV4 | None] | None = None
    # Every release since OpenTofu 1.6 writes null if there are none.
    check_results: list[CheckResultV4 | None] | UnsetType | None = UNSET
