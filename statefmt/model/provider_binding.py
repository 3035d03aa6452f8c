"""Parses `provider` strings, binds each object to a provider instance, and keeps a resource to one configuration.

A resource has exactly one provider configuration; its objects may differ in the trailing instance key only.
A file names the provider at the resource level, at the instance level, or at both. `lift` reads all of these
forms, `lower` writes the older, resource-level form if no object has a key.
Source: RFC "Static Evaluation of Provider Iteration"; OpenTofu `internal/states/statefile/version4.go`.
OpenTofu compares only instance-level addresses, block by block. This module applies the RFC's rule in full:
propagate the resource level to every instance first, then compare all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey, StringKey
from statefmt.model.addrs.parsing import (
    parse_abs_provider_instance,
    parse_config_provider_config,
    parse_legacy_provider_config,
)
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import ResourceState
from statefmt.text import pattern

# Cache size for parsed and written addresses of all files of a run; a state has few different ones.
_KEPT: Final = 65536
_UNKEYED: Final = frozenset({NO_KEY})
_NO_KEYS: Final[Mapping[InstanceKey, str]] = MappingProxyType({})


class ObjectProvider(NamedTuple):
    """The instance key of an object in the file, and its own `provider` ("" if missing)."""

    key: InstanceKey
    provider: str
    pointer: str


class BlockProviders(NamedTuple):
    """One block of a resource in the file: its `provider` ("" if missing) and its objects."""

    provider: str
    objects: Sequence[ObjectProvider]
    pointer: str


class Lifted(Struct, frozen=True, gc=False):
    """One configuration for a resource and a key for each object, block by block.

    A block with an unreadable provider address has None in place of its keys. If `findings` contains an error,
    `config` and `keys` must not be used, unless all errors concern the `refused_by_opentofu` addresses that Terraform
    reads.
    """

    config: ConfigProviderConfig | None
    keys: tuple[tuple[InstanceKey, ...] | None, ...]
    findings: tuple[Finding, ...]
    refused_by_opentofu: tuple[Finding, ...] = ()


class Lowered(NamedTuple):
    """The `provider` members to write: one at the resource level, or one per provider key at the instance level."""

    resource_level: str
    instance_level: Mapping[InstanceKey, str]


class _Bound(NamedTuple):
    """The effective provider of one object, and the pointer to its name."""

    provider: AbsProviderInstance
    key: InstanceKey
    block: int
    pointer: str


def lift(resource: str, blocks: Sequence[BlockProviders]) -> Lifted:
    """Bind the objects of one resource to provider instances, given all of its blocks.

    `resource` is the address for messages. Returns problems as findings: provider set at both levels (warning);
    missing, unreadable, or different configurations (errors).
    """
    findings: list[Finding] = []
    refused: list[Finding] = []
    bound: list[_Bound] = []
    keys: list[tuple[InstanceKey, ...] | None] = []
    declared: ConfigProviderConfig | None = None
    conflict: Finding | None = None
    for number, block in enumerate(blocks):
        config: ConfigProviderConfig | None = None
        if block.provider:
            readable = read_config(block.provider)
            if isinstance(readable, Unreadable):
                located = _located(readable, resource, block.pointer)
                findings += located
                if readable.in_terraform is None or readable.in_terraform.key is not NO_KEY:
                    keys.append(None)
                    continue
                refused += located
                readable = readable.in_terraform.config
            declared = config = readable
        block_bound, said = _bind_block(resource, block, number, config, findings, refused)
        bound += block_bound
        keys.append(tuple(binding.provider.key for binding in block_bound))
        conflict = conflict or _said_conflict(resource, said, block.pointer)
    declared_last = declared if blocks and not blocks[-1].objects and blocks[-1].provider else None
    conflict = _bound_conflict(resource, bound) or conflict
    if conflict:
        findings.append(conflict)
    else:
        findings += _spread_keys(resource, bound)
    config = bound[0].provider.config if bound else declared
    if not conflict and declared_last is not None and declared_last != config:
        findings.append(Code.PROVIDER_BLOCKS_DIFFER.notice(
            "Empty block changes the provider configuration of a resource",
            f"The instances of {resource} belong to {config}, but a later block of the file without instances names "
            f"{declared_last}. The later one applies, as in OpenTofu.", resource, f"{blocks[-1].pointer}/provider",
            "Decide which configuration manages the resource.",
        ))  # fmt: skip
        config = declared_last
    return Lifted(config, tuple(keys), tuple(findings), tuple(refused))


def lift_inherited(provider: str, objects: int) -> Lifted | None:
    """Bind `objects` objects without a provider of their own to the `provider` of their only block.

    A fast path of `lift` for the usual resource. None if the address is unreadable.
    """
    config = read_config(provider)
    return None if isinstance(config, Unreadable) else Lifted(config, ((NO_KEY,) * objects,), ())


def lower(resource: ResourceState) -> Lowered:
    """Return the `provider` members of a resource: resource-level if and only if no object has a key."""
    config = resource.provider_config
    if config is None:
        return Lowered("", {})
    keys = {obj.provider_key for obj in resource.objects}
    if keys <= _UNKEYED:
        return _lowered_without_keys(config)
    return Lowered("", {key: _instance_text(config, key) for key in keys})


@lru_cache(maxsize=_KEPT)
def _lowered_without_keys(config: ConfigProviderConfig) -> Lowered:
    return Lowered(str(config), _NO_KEYS)


@lru_cache(maxsize=_KEPT)
def _instance_text(config: ConfigProviderConfig, key: InstanceKey) -> str:
    return str(AbsProviderInstance(config, key))


def _bind_block(
    resource: str,
    block: BlockProviders,
    number: int,
    config: ConfigProviderConfig | None,
    findings: list[Finding],
    refused: list[Finding],
) -> tuple[list[_Bound], list[tuple[str, InstanceKey]]]:
    """Bind one block's objects. Also returns the instance-level configurations as strings, "" if unreadable."""
    bound: list[_Bound] = []
    said: list[tuple[str, InstanceKey]] = []
    inherited = AbsProviderInstance(config, NO_KEY) if config else None
    for key, text, pointer in block.objects:
        instance = f"{resource}{key}"
        if not text:
            if inherited is None:
                findings.append(Code.PROVIDER_MISSING.notice(
                    "Provider field missing state",
                    f"Instance {instance} has no provider address, neither on the resource nor on the instance.",
                    instance, pointer, "Name the provider given in the configuration or in earlier states.",
                ))  # fmt: skip
            else:
                bound.append(_Bound(inherited, key, number, block.pointer))
            continue
        if config is not None:
            findings.append(Code.PROVIDER_BOTH_LEVELS.notice(
                "Provider field conflict in state",
                f"Resource {resource} has the provider address {block.provider}, and its instance {instance} has "
                f"{text}. The instance's own address is used.", instance, f"{pointer}/provider",
            ))  # fmt: skip
        provider = read_instance(text)
        if isinstance(provider, Unreadable):
            located = _located(provider, instance, pointer)
            findings += located
            if provider.in_terraform is None:
                said.append(("", key))
                continue
            refused += located
            provider = provider.in_terraform
        said.append((str(provider.config), key))
        bound.append(_Bound(provider, key, number, pointer))
    return bound, said


def _located(unreadable: Unreadable, address: str, pointer: str) -> list[Finding]:
    return [
        Finding(f.code, f.severity, f.summary, f.detail, address, f"{pointer}/provider", f.fix)
        for f in unreadable.findings
    ]


def _said_conflict(resource: str, said: list[tuple[str, InstanceKey]], pointer: str) -> Finding | None:
    """Compare as OpenTofu does: adjacent instances within a block, unreadable addresses included."""
    for (one, one_key), (other, other_key) in pairwise(said):
        if one != other:
            return _conflict(Code.PROVIDER_CONFIGURATIONS_DIFFER, resource, one, one_key, other, other_key, pointer)
    return None


def _bound_conflict(resource: str, bound: list[_Bound]) -> Finding | None:
    """Compare as the RFC does: all objects of the resource, after propagating the resource level."""
    first = bound[0] if bound else None
    for other in bound:
        if first is not None and other.provider.config != first.provider.config:
            is_spread = first.block != other.block
            code = Code.PROVIDER_BLOCKS_DIFFER if is_spread else Code.PROVIDER_CONFIGURATIONS_DIFFER
            one = str(first.provider)
            return _conflict(code, resource, one, first.key, str(other.provider), other.key, other.pointer)
    return None


def _spread_keys(resource: str, bound: list[_Bound]) -> list[Finding]:
    """Report objects of one instance with different provider keys; OpenTofu keeps one key per instance."""
    if not any(binding.provider.key != NO_KEY for binding in bound):
        return []
    first: dict[InstanceKey, _Bound] = {}
    findings: dict[InstanceKey, Finding] = {}
    for binding in bound:
        other = first.setdefault(binding.key, binding)
        if binding.provider.key != other.provider.key and binding.key not in findings:
            instance = f"{resource}{binding.key}"
            findings[binding.key] = Code.PROVIDER_KEYS_DIFFER.notice(
                "Objects of one instance are bound to different provider instances",
                f"Instance {instance} has objects bound to {other.provider} and to {binding.provider}. OpenTofu keeps "
                "one provider key for an instance, that of the object it reads last, and silently rebinds the others; "
                "statetool keeps each as it is.", instance, binding.pointer,
                "Bind all objects of the instance to one provider instance, or destroy the deposed object first.",
            )  # fmt: skip
    return list(findings.values())


def _conflict(
    code: Code, resource: str, one: str, one_key: InstanceKey, other: str, other_key: InstanceKey, pointer: str
) -> Finding:
    """Report two instances of one resource with different configurations; `one` or `other` is "" if unreadable.

    Such a state is refused even if OpenTofu would read it.
    """
    where = " in different blocks of the file" if code == Code.PROVIDER_BLOCKS_DIFFER else ""
    return code.finding(
        "Provider instance field conflict in state",
        f"Resource {resource} has instances with different provider configurations{where}: "
        f"{resource}{one_key} has {one or 'an unreadable address'}, "
        f"{resource}{other_key} has {other or 'an unreadable address'}. All instances of a resource must belong "
        "to one provider configuration and may differ only in the instance key at its end.", resource, pointer,
        "Decide which configuration manages the resource, for all of its instances.",
    )  # fmt: skip


# The host in addresses that Terraform writes for providers known only by their type. OpenTofu does not read these.
_TERRAFORM_LEGACY: Final = pattern(rf'(?<=provider\["){TERRAFORM_HOST}(?=/-/)')
# Characters that need no escapes in a quoted key.
_PLAIN_KEY: Final = pattern(r"[ !#&-\[\]-~]*+")


class Unreadable(NamedTuple):
    """The findings for an invalid provider address, and the instance that Terraform reads in it, if any."""

    findings: tuple[Finding, ...]
    in_terraform: AbsProviderInstance | None = None


@lru_cache(maxsize=_KEPT)
def read_config(text: str) -> ConfigProviderConfig | Unreadable:
    """Parse a resource-level address, in the current form or in the form before Terraform 0.13."""
    try:
        return parse_config_provider_config(text)
    except AddressError as error:
        try:
            return parse_legacy_provider_config(text)
        except AddressError:
            return _unreadable(error)


@lru_cache(maxsize=_KEPT)
def read_instance(text: str) -> AbsProviderInstance | Unreadable:
    """Parse an instance-level address, which is always in the current form."""
    before, bracket, key = text.removesuffix('"]').rpartition('["')
    if bracket and text.endswith('"]') and _PLAIN_KEY.fullmatch(key):
        # Many instances share a configuration, so parse it once and only the key each time.
        config = _read_today(before)
        if config is not None and config.alias:
            return AbsProviderInstance(config, StringKey(key))
    try:
        return parse_abs_provider_instance(text)
    except AddressError as error:
        return _unreadable(error)


@lru_cache(maxsize=_KEPT)
def _read_today(text: str) -> ConfigProviderConfig | None:
    try:
        return parse_config_provider_config(text)
    except AddressError:
        return None


def read_as_terraform(text: str) -> AbsProviderInstance | None:
    """Parse an address that Terraform reads and OpenTofu refuses, `provider["registry.terraform.io/-/aws"]`.

    Terraform writes it for a provider that a state from before 0.13 names only by its type. Returns None for other
    addresses.
    """
    mended, count = _TERRAFORM_LEGACY.subn(DEFAULT_HOST, text)
    if not count:
        return None
    try:
        instance = parse_abs_provider_instance(mended)
    except AddressError:
        return None
    provider = replace(instance.config.provider, hostname=TERRAFORM_HOST)
    return replace(instance, config=replace(instance.config, provider=provider))


def _unreadable(error: AddressError) -> Unreadable:
    findings = tuple(
        Code.PROVIDER_ADDRESS_INVALID.notice(
            problem.summary, f"{problem.detail} (column {problem.column} of the provider address {error.text!r})"
        )
        for problem in error.problems
    )
    return Unreadable(findings, read_as_terraform(error.text))


def same_provider(one: str, other: str) -> bool:
    """Return whether two `provider` strings name the same provider configuration or instance."""
    # Compare as strings: an address in the old form may print as a string that cannot be parsed.
    return any(_printed(read(one), one) == _printed(read(other), other) for read in (read_config, read_instance))


def _printed(meaning: ConfigProviderConfig | AbsProviderInstance | Unreadable, text: str) -> str:
    return text if isinstance(meaning, Unreadable) else str(meaning)
