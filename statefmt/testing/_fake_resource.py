"""Describes the objects and outputs of a state to be made, in few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TypeAlias

# JSON values by name.
FakeAttributes: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class FakeResource:
    """One object of a resource instance: the current one, or a deposed one.

        FakeResource('module.net["a"].aws_subnet.this[0]', {"cidr_block": "10.0.0.0/24"}, provider="aws.west")

    `attributes` are JSON values: None, bool, int, float, Decimal, str, and lists and mappings of them. `id` is added if
    it is missing; it depends on the address only. `provider` is a local name (`aws`, `aws.west`,
    `aws.by_region["eu"]`), a source (`acme/cloud`) or a full address of a provider instance; "" is the default
    provider of the resource type. Sources without a host are of registry.opentofu.org. `dependencies` are addresses
    without keys. `deposed` is the key of a deposed object, such as `7c1f00aa`; "" means the current object.
    `sensitive` are paths into the attributes: `password`, `tags["Owner"]`, `rule[0].secret`. `identity` are JSON values
    like the attributes; None means that the provider gave none. `private` are the bytes that a provider keeps for
    itself. `attributes_flat` are strings by name (`tags.%`, `rule.0.port`), instead of `attributes`, as states from
    before Terraform 0.12 have.
    """

    address: str
    attributes: FakeAttributes = field(default_factory=dict)
    _: KW_ONLY
    provider: str = ""
    dependencies: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    tainted: bool = False
    deposed: str = ""
    schema_version: int = 0
    create_before_destroy: bool = False
    identity: FakeAttributes | None = None
    identity_schema_version: int = 0
    private: bytes = b""
    attributes_flat: Mapping[str, str] | None = None


@dataclass(frozen=True)
class FakeOutput:
    """An output value; use it in place of the bare value to make it sensitive. Its type is implied by the value."""

    value: object
    _: KW_ONLY
    sensitive: bool = False
