"""Builds the findings for invalid provider bindings, which `provider_binding` detects.

The summaries are OpenTofu's if it has a diagnostic for the case.
"""

from __future__ import annotations

from statefmt.model.addrs import AbsProviderInstance, ConfigProviderConfig, InstanceKey
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def conflict(
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
        "to one provider configuration and may differ only in the instance key at its end.",
        resource,
        pointer,
        "Decide which configuration manages the resource, for all of its instances.",
    )


def empty_block(
    resource: str, config: ConfigProviderConfig | None, last: ConfigProviderConfig, pointer: str
) -> Finding:
    """Report a later block without instances that changes the configuration."""
    return Code.PROVIDER_BLOCKS_DIFFER.notice(
        "Empty block changes the provider configuration of a resource",
        f"The instances of {resource} belong to {config}, but a later block of the file without instances names "
        f"{last}. The later one applies, as in OpenTofu.",
        resource,
        f"{pointer}/provider",
        "Decide which configuration manages the resource.",
    )


def missing(resource: str, key: InstanceKey, pointer: str) -> Finding:
    """Report an instance without a provider at either level."""
    return Code.PROVIDER_MISSING.notice(
        "Provider field missing state",
        f"Instance {resource}{key} has no provider address, neither on the resource nor on the instance.",
        f"{resource}{key}",
        pointer,
        "Name the provider given in the configuration or in earlier states.",
    )


def both_levels(resource: str, key: InstanceKey, level: str, own: str, pointer: str) -> Finding:
    """Report an instance with a provider of its own although its resource has one."""
    return Code.PROVIDER_BOTH_LEVELS.notice(
        "Provider field conflict in state",
        f"Resource {resource} has the provider address {level}, and its instance {resource}{key} has {own}. "
        "The instance's own address is used.",
        f"{resource}{key}",
        f"{pointer}/provider",
    )


def keys_differ(
    resource: str, key: InstanceKey, one: AbsProviderInstance, other: AbsProviderInstance, pointer: str
) -> Finding:
    """Report objects of one instance with different provider keys."""
    return Code.PROVIDER_KEYS_DIFFER.notice(
        "Objects of one instance are bound to different provider instances",
        f"Instance {resource}{key} has objects bound to {one} and to {other}. OpenTofu keeps one provider key for an "
        "instance, that of the object it reads last, and silently rebinds the others; statetool keeps each as it is.",
        f"{resource}{key}",
        pointer,
        "Bind all objects of the instance to one provider instance, or destroy the deposed object first.",
    )
