"""The single-provider-configuration invariant: which provider instance each object is bound to.

A resource has exactly one provider configuration; its objects may differ in the trailing instance key only.
A file says so at the resource level, at the instance level, or at both. `lift` reads all of these forms,
`lower` writes the older, resource-level form whenever no object has a key.
Source: RFC "Static Evaluation of Provider Iteration"; OpenTofu `internal/states/statefile/version4.go`.
OpenTofu compares only what instances say themselves, block by block; the RFC's rule, applied here in full,
is to let the resource level reach every instance first and then to compare all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from statefmt import codes
from statefmt.addrs import (
    NO_KEY,
    AbsProviderInstance,
    ConfigProviderConfig,
    InstanceKey,
    parse_abs_provider_instance,
    parse_config_provider_config,
    parse_legacy_provider_config,
)
from statefmt.diagnostics import Finding, Severity
from statefmt.errors import AddressError
from statefmt.states.resource import ResourceState


class ObjectProvider(NamedTuple):
    """What the file says of one object: its instance key, its own `provider` ("" where it has none)."""

    key: InstanceKey
    provider: str
    pointer: str


class BlockProviders(NamedTuple):
    """What the file says in one block of a resource: its `provider` ("" for none), and its objects."""

    provider: str
    objects: Sequence[ObjectProvider]
    pointer: str


class Lifted(NamedTuple):
    """One configuration for a resource and a key for each object, block by block.

    A block whose own provider address is unreadable has None in place of its keys. With an error among
    `findings`, `config` and `keys` must not be used.
    """

    config: ConfigProviderConfig | None
    keys: tuple[tuple[InstanceKey, ...] | None, ...]
    findings: tuple[Finding, ...]


class Lowered(NamedTuple):
    """The `provider` members to write: at the resource level, or for each provider key at the instance level."""

    resource_level: str
    instance_level: Mapping[InstanceKey, str]


class _Bound(NamedTuple):
    """The provider that is in force for one object, and where that is said."""

    provider: AbsProviderInstance
    key: InstanceKey
    block: int
    pointer: str


class _Unreadable(NamedTuple):
    """What can be told of a provider address that is not valid."""

    findings: tuple[Finding, ...]
    readable_part: str


def lift(resource: str, blocks: Sequence[BlockProviders]) -> Lifted:
    """Bind the objects of one resource, given what each of its blocks says.

    `resource` is its address, for messages. Problems come back as findings: both levels set (warning),
    neither, unreadable, or not all of one configuration (errors).
    """
    findings: list[Finding] = []
    bound: list[_Bound] = []
    keys: list[tuple[InstanceKey, ...] | None] = []
    declared: ConfigProviderConfig | None = None
    conflict: Finding | None = None
    for number, block in enumerate(blocks):
        config: ConfigProviderConfig | None = None
        if block.provider:
            readable = _read_config(block.provider)
            if isinstance(readable, _Unreadable):
                findings += _located(readable, resource, block.pointer)
                keys.append(None)
                continue
            declared = config = readable
        block_bound, said = _bind_block(resource, block, number, config, findings)
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
        findings.append(_empty_block(resource, config, declared_last, blocks[-1].pointer))
        config = declared_last
    return Lifted(config, tuple(keys), tuple(findings))


def lower(resource: ResourceState) -> Lowered:
    """What to write for a resource: the resource-level form if and only if no object has a key."""
    config = resource.provider_config
    if config is None:
        return Lowered("", {})
    if not resource.has_provider_keys:
        return Lowered(str(config), {})
    keys = {obj.provider_key for obj in resource.objects}
    return Lowered("", {key: str(AbsProviderInstance(config, key)) for key in keys})


def same_provider(one: str, other: str) -> bool:
    """Whether two `provider` texts name the same provider configuration, or the same instance of one."""
    # An address in the old form may print as text that cannot be read: it still is that address.
    return any(_printed(read(one), one) == _printed(read(other), other) for read in (_read_config, _read_instance))


def _printed(meaning: ConfigProviderConfig | AbsProviderInstance | _Unreadable, text: str) -> str:
    return text if isinstance(meaning, _Unreadable) else str(meaning)


def _bind_block(
    resource: str,
    block: BlockProviders,
    number: int,
    config: ConfigProviderConfig | None,
    findings: list[Finding],
) -> tuple[list[_Bound], list[tuple[str, InstanceKey]]]:
    """Bind one block's objects; also gives what its instances say themselves, as comparable text."""
    bound: list[_Bound] = []
    said: list[tuple[str, InstanceKey]] = []
    inherited = AbsProviderInstance(config, NO_KEY) if config else None
    for key, text, pointer in block.objects:
        if not text:
            if inherited is None:
                findings.append(_missing(resource, key, pointer))
            else:
                bound.append(_Bound(inherited, key, number, block.pointer))
            continue
        if config is not None:
            findings.append(_both_levels(resource, key, block.provider, text, pointer))
        provider = _read_instance(text)
        if isinstance(provider, _Unreadable):
            findings += _located(provider, f"{resource}{key}", pointer)
            said.append((provider.readable_part, key))
            continue
        said.append((str(provider.config), key))
        bound.append(_Bound(provider, key, number, pointer))
    return bound, said


@lru_cache(maxsize=4096)
def _read_config(text: str) -> ConfigProviderConfig | _Unreadable:
    """A resource-level address, in today's form or in the one before Terraform 0.13."""
    try:
        return parse_config_provider_config(text)
    except AddressError as error:
        try:
            return parse_legacy_provider_config(text)
        except AddressError:
            return _unreadable(error)


@lru_cache(maxsize=4096)
def _read_instance(text: str) -> AbsProviderInstance | _Unreadable:
    try:
        return parse_abs_provider_instance(text)
    except AddressError as error:
        return _unreadable(error)


def _unreadable(error: AddressError) -> _Unreadable:
    findings = tuple(
        Finding(
            codes.PROVIDER_ADDRESS_INVALID,
            Severity.ERROR,
            problem.summary,
            f"{problem.detail} (column {problem.column} of the provider address {error.text!r})",
        )
        for problem in error.problems
    )
    return _Unreadable(findings, "")


def _located(unreadable: _Unreadable, address: str, pointer: str) -> list[Finding]:
    return [
        Finding(f.code, f.severity, f.summary, f.detail, address, f"{pointer}/provider") for f in unreadable.findings
    ]


def _said_conflict(resource: str, said: list[tuple[str, InstanceKey]], pointer: str) -> Finding | None:
    """OpenTofu's own comparison: neighbours within a block, unreadable addresses included."""
    for (one, one_key), (other, other_key) in pairwise(said):
        if one != other:
            return _conflict(codes.PROVIDER_CONFIGS_DIFFER, resource, one, one_key, other, other_key, pointer)
    return None


def _bound_conflict(resource: str, bound: list[_Bound]) -> Finding | None:
    """The RFC's comparison: all objects of the resource, after the resource level has reached them."""
    first = bound[0] if bound else None
    for other in bound:
        if first is not None and other.provider.config != first.provider.config:
            spread = first.block != other.block
            return _conflict(
                codes.PROVIDER_BLOCKS_DIFFER if spread else codes.PROVIDER_CONFIGS_DIFFER,
                resource,
                str(first.provider),
                first.key,
                str(other.provider),
                other.key,
                other.pointer,
            )
    return None


def _conflict(
    code: str, resource: str, one: str, one_key: InstanceKey, other: str, other_key: InstanceKey, pointer: str
) -> Finding:
    where = " in different blocks of the file" if code == codes.PROVIDER_BLOCKS_DIFFER else ""
    return Finding(
        code,
        Severity.ERROR,
        "Provider instance field conflict in state",
        f"Resource {resource} has instances with different provider configurations{where}: "
        f"{resource}{one_key} has {one or 'an unreadable address'}, "
        f"{resource}{other_key} has {other or 'an unreadable address'}. All instances of a resource must belong "
        "to one provider configuration and may differ only in the instance key at its end.",
        resource,
        pointer,
        "Decide which configuration manages the resource and write it for all of its instances.",
    )


def _empty_block(
    resource: str, config: ConfigProviderConfig | None, last: ConfigProviderConfig, pointer: str
) -> Finding:
    return Finding(
        codes.PROVIDER_BLOCKS_DIFFER,
        Severity.INFO,
        "Empty block changes the provider configuration of a resource",
        f"The instances of {resource} belong to {config}, but a later block of the file without instances names "
        f"{last}. The later one counts, as in OpenTofu.",
        resource,
        f"{pointer}/provider",
        "Remove the empty block, or write the right configuration in both.",
    )


def _missing(resource: str, key: InstanceKey, pointer: str) -> Finding:
    return Finding(
        codes.PROVIDER_MISSING,
        Severity.ERROR,
        "Provider field missing state",
        f"Instance {resource}{key} has no provider address, neither on the resource nor on the instance.",
        f"{resource}{key}",
        pointer,
        'Add "provider" to the resource, with the address that its other states or the configuration name.',
    )


def _both_levels(resource: str, key: InstanceKey, level: str, own: str, pointer: str) -> Finding:
    return Finding(
        codes.PROVIDER_BOTH_LEVELS,
        Severity.WARNING,
        "Provider field conflict in state",
        f"Resource {resource} has the provider address {level}, and its instance {resource}{key} has {own}. "
        "The instance's own address is used.",
        f"{resource}{key}",
        f"{pointer}/provider",
        "`statetool fmt` writes the one level that is needed.",
    )


def _spread_keys(resource: str, bound: list[_Bound]) -> list[Finding]:
    """Objects of one instance under different provider keys: OpenTofu has room for one key an instance."""
    if not any(binding.provider.key != NO_KEY for binding in bound):
        return []
    first: dict[InstanceKey, _Bound] = {}
    findings = []
    told = set()
    for binding in bound:
        other = first.setdefault(binding.key, binding)
        if binding.provider.key != other.provider.key and binding.key not in told:
            told.add(binding.key)
            findings.append(Finding(
                codes.PROVIDER_KEYS_DIFFER,
                Severity.INFO,
                "Objects of one instance are bound to different provider instances",
                f"Instance {resource}{binding.key} has objects bound to {other.provider} and to "
                f"{binding.provider}. OpenTofu keeps one provider key for an instance, that of the object it "
                "reads last, and silently rebinds the others; statetool keeps each as it is.",
                f"{resource}{binding.key}",
                binding.pointer,
                "Bind all objects of the instance to one provider instance, or destroy the deposed object first.",
            ))  # fmt: skip
    return findings
