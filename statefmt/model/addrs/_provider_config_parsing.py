"""Parses provider configuration addresses.

Sources: OpenTofu `internal/addrs/provider_config.go`; for module-local forms `internal/configs/provider.go`
(ParseProviderConfigCompact) and `internal/configs/resource.go` (decodeProviderConfigRef).
"""

from __future__ import annotations

from typing import Final

from statefmt.golang.quote import quote
from statefmt.model.addrs._module import Module
from statefmt.model.addrs._module_parsing import split_module_instance
from statefmt.model.addrs._provider_config import (
    AbsProviderInstance,
    ConfigProviderConfig,
    LocalProviderConfig,
    LocalProviderInstance,
)
from statefmt.model.addrs.instance_key import NO_KEY, NOT_A_WHOLE_NUMBER, InstanceKey, StringKey
from statefmt.model.addrs.provider import Provider, normalize_provider_part, parse_provider_source
from statefmt.model.addrs.traversal import Attr, Index, Step, Steps, parse_traversal
from statefmt.model.errors import AddressError, AddressProblem

_SUMMARY: Final = "Invalid provider configuration address"
_REFERENCE_SUMMARY: Final = "Invalid provider configuration reference"
_TYPE_REQUIRED: Final = 'The prefix "provider." must be followed by a provider type name.'
_ALIAS_REQUIRED: Final = "Provider type name must be followed by a configuration alias name."


def parse_config_provider_config(text: str) -> ConfigProviderConfig:
    """Parse a provider configuration from `module.m.provider["hashicorp/aws"].alias`. Refuses instance keys.

    Raises AddressError. Source: ParseAbsProviderConfigStr.
    """
    instance = parse_abs_provider_instance(text)
    if instance.key is not NO_KEY:
        column = parse_traversal(text)[0].column
        raise _refusal(text, [], column, "A provider address must not include an instance key.")
    return instance.config


def parse_abs_provider_instance(text: str) -> AbsProviderInstance:
    """Parse a provider instance from `module.m.provider["hashicorp/aws"].alias["key"]`; alias and key are optional.

    Raises AddressError. Source: ParseAbsProviderConfigInstanceStr.
    """
    problems: list[AddressProblem] = []
    module, rest = _split_module(
        text, problems, "A provider configuration must not appear in a module instance that uses count or for_each."
    )
    if len(rest) > 4:
        detail = "Extraneous operators after provider configuration reference."
        raise _refusal(text, problems, rest[4].column, detail)
    provider = _provider(text, rest[1], problems)
    alias = _alias(text, rest[2], problems) if len(rest) > 2 else ""
    key = _key(text, rest[3], problems) if len(rest) > 3 else NO_KEY
    if problems:
        raise AddressError(text, problems)
    return AbsProviderInstance(ConfigProviderConfig(module, provider, alias), key)


def parse_legacy_provider_config(text: str) -> ConfigProviderConfig:
    """Parse a provider configuration from `module.m.provider.aws.alias`, the form in states before format 4.

    Returns a legacy provider, except for `terraform`, which is built in. Raises AddressError. Source:
    ParseLegacyAbsProviderConfigStr.
    """
    problems: list[AddressProblem] = []
    module, rest = _split_module(text, problems, "Provider address cannot contain module indexes")
    if len(rest) > 3:
        detail = "Extraneous operators after provider configuration alias."
        raise _refusal(text, problems, rest[3].column, detail)
    name = rest[1]
    if isinstance(name, Index):
        raise _refusal(text, problems, name.column, _TYPE_REQUIRED)
    alias = _alias(text, rest[2], problems) if len(rest) > 2 else ""
    if problems:
        raise AddressError(text, problems)
    provider = Provider.builtin(name.name) if name.name == "terraform" else Provider.legacy(name.name)
    return ConfigProviderConfig(module, provider, alias)


def parse_local_provider_config(text: str) -> LocalProviderConfig:
    """Parse a provider configuration from `aws` or `aws.alias`, the form in the oldest states.

    Like OpenTofu, ignores everything after an alias. Raises AddressError. Source: ParseProviderConfigCompactStr.
    """
    steps = parse_traversal(text)
    name = _root_name(steps)
    if len(steps) == 1:
        return LocalProviderConfig(name)
    alias = steps[1]
    if isinstance(alias, Attr):
        return LocalProviderConfig(name, alias.name)
    problems = [
        AddressProblem(
            alias.column,
            _SUMMARY,
            "The provider type name must either stand alone or be followed by an alias name separated with a dot.",
        )
    ]
    if len(steps) > 2:
        detail = "Extraneous extra operators after provider configuration address."
        problems.append(AddressProblem(steps[2].column, _SUMMARY, detail))
    raise AddressError(text, problems)


def parse_local_provider_instance(text: str) -> LocalProviderInstance:
    """Parse a provider instance from `aws.by_region["us"]`, the form of a resource's `provider` argument.

    Raises AddressError, also if the local name is not normalized. Source: decodeProviderConfigRef.
    """
    steps = parse_traversal(text)
    name = _root_name(steps)
    _check_local_name(text, steps[0].column, name)
    if len(steps) > 3:
        raise _bad_reference(
            text,
            steps[3],
            "The provider argument requires a provider type name, optionally followed by a period and then a "
            "configuration alias and optional instance key.",
        )
    alias = ""
    if len(steps) > 1:
        step = steps[1]
        if isinstance(step, Index):
            raise _bad_reference(text, step, _STAND_ALONE)
        alias = step.name
    key: InstanceKey = NO_KEY
    if len(steps) > 2:
        step = steps[2]
        if isinstance(step, Attr):
            raise _bad_reference(text, step, _STAND_ALONE)
        if step.key is None:
            raise _bad_reference(text, step, f"Invalid provider instance key: {NOT_A_WHOLE_NUMBER}.")
        key = step.key
    return LocalProviderInstance(LocalProviderConfig(name, alias), key)


_STAND_ALONE: Final = "Provider name must either stand alone or be followed by a period and then a configuration alias."


def _split_module(text: str, problems: list[AddressProblem], keyed: str) -> tuple[Module, Steps]:
    """Return the module path of `text` and the remaining steps: `provider` and at least one more.

    Raises AddressError, with the detail `keyed` if the path has keys.
    """
    steps = parse_traversal(text)
    instance, rest = split_module_instance(steps, problems)
    column = (rest or steps)[0].column
    if any(step.key is not NO_KEY for step in instance.steps):
        raise _refusal(text, problems, column, keyed)
    first = rest[0] if len(rest) > 1 else None
    if not isinstance(first, Attr) or first.name != "provider":
        detail = 'Provider address must begin with "provider.", followed by a provider type name.'
        raise _refusal(text, problems, column, detail)
    return instance.module(), rest


def _provider(text: str, step: Step, problems: list[AddressProblem]) -> Provider:
    if isinstance(step, Attr) or not isinstance(step.key, StringKey):
        raise _refusal(text, problems, step.column, _TYPE_REQUIRED)
    try:
        return parse_provider_source(step.key.value)
    except AddressError as error:
        found = [AddressProblem(step.column, problem.summary, problem.detail) for problem in error.problems]
        raise AddressError(text, [*problems, *found]) from None


def _alias(text: str, step: Step, problems: list[AddressProblem]) -> str:
    if isinstance(step, Index):
        raise _refusal(text, problems, step.column, _ALIAS_REQUIRED)
    return step.name


def _key(text: str, step: Step, problems: list[AddressProblem]) -> InstanceKey:
    if isinstance(step, Attr):
        detail = "A provider configuration alias can be followed only by an instance key in brackets."
        raise _refusal(text, problems, step.column, detail)
    if step.key is None:
        raise _refusal(text, problems, step.column, f"Invalid provider instance key: {NOT_A_WHOLE_NUMBER}.")
    return step.key


def _root_name(steps: Steps) -> str:
    root = steps[0]
    assert isinstance(root, Attr), "every traversal begins with a name"
    return root.name


def _check_local_name(text: str, column: int, name: str) -> None:
    summary = "Invalid provider local name"
    try:
        normal = normalize_provider_part(name)
    except ValueError as error:
        detail = f"{name} is an invalid provider local name: {error}"
        raise AddressError(text, [AddressProblem(column, summary, detail)]) from None
    if normal != name:
        detail = f"Provider names must be normalized. Replace {quote(name)} with {quote(normal)} to fix this error."
        raise AddressError(text, [AddressProblem(column, summary, detail)])


def _bad_reference(text: str, step: Step, detail: str) -> AddressError:
    return AddressError(text, [AddressProblem(step.column, _REFERENCE_SUMMARY, detail)])


def _refusal(text: str, problems: list[AddressProblem], column: int, detail: str) -> AddressError:
    return AddressError(text, [*problems, AddressProblem(column, _SUMMARY, detail)])
