"""Parses the addresses of modules, resources and provider configurations.

Parsers raise only AddressError, for any string. Sources: OpenTofu `internal/addrs`, in `module.go`,
`module_instance.go`, `parse_target.go`, `resource.go` (ParseConfigResource) and `provider_config.go`; for module-local
forms `internal/configs/provider.go` (ParseProviderConfigCompact) and `internal/configs/resource.go`
(decodeProviderConfigRef).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from statefmt.golang import quote
from statefmt.model.addrs import (
    NO_KEY,
    NOT_A_WHOLE_NUMBER,
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    IntKey,
    LocalProviderConfig,
    LocalProviderInstance,
    Module,
    ModuleInstance,
    ModuleStep,
    Resource,
    ResourceInstance,
    ResourceMode,
    StringKey,
)
from statefmt.model.addrs.provider import Provider, normalize_provider_part, parse_provider_source, refusal
from statefmt.model.addrs.traversal import Attr, Index, Step, Steps, parse_traversal
from statefmt.model.errors import AddressError, AddressProblem
from statefmt.text import pattern

# Cache size for steps, most of which are in many addresses.
_KEPT_STEPS: Final = 4096
# A step as programs write it, of ASCII characters and without escapes.
_STEP: Final = pattern(r'module\.[A-Za-z_][A-Za-z0-9_-]*+(?:\[(?:0|[1-9][0-9]{0,17}|"[ !#&-\[\]-~]*+")\])?+')


def parse_module_instance(text: str) -> ModuleInstance:
    """Parse a module instance from `module.a["x"].module.b[0]`. Like OpenTofu, refuses the empty string.

    Raises AddressError. Source: ParseModuleInstanceStr.
    """
    usual = _STEP.findall(text)
    if usual and ".".join(usual) == text:
        return ModuleInstance(tuple(map(_step, usual)))
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module_instance(steps, problems)
    if rest:
        if len(rest) == len(steps):
            detail = 'A module instance address must begin with "module.".'
        else:
            detail = "The module instance address is followed by additional invalid content."
        problems.append(AddressProblem(rest[0].column, "Invalid module instance address", detail))
    if problems:
        raise AddressError(text, problems)
    return module


@lru_cache(maxsize=_KEPT_STEPS)
def _step(text: str) -> ModuleStep:
    """Parse a step that `_STEP` matches."""
    name, _, key = text.removeprefix("module.").removesuffix("]").partition("[")
    if not key:
        return ModuleStep(name)
    return ModuleStep(name, StringKey(key[1:-1]) if key.startswith('"') else IntKey(int(key)))


def parse_module(text: str) -> Module:
    """Parse a static module path from `module.a.module.b`. Raises AddressError. Source: ParseModuleStr."""
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module(steps, problems)
    if rest and not problems:
        detail = "It's not allowed to reference anything other than module here."
        raise refusal(text, rest[0].column, "Module address expected", detail)
    if problems:
        raise AddressError(text, problems)
    return module


def split_module_instance(steps: Steps, problems: list[AddressProblem]) -> tuple[ModuleInstance, Steps]:
    """Split `steps` into the module instance at their start, possibly the root, and the remaining steps.

    Appends errors to `problems`, and then returns the steps that OpenTofu has parsed so far, which determine the
    errors that follow. Source: parseModuleInstancePrefix.
    """
    found: list[ModuleStep] = []
    pos = 0
    while pos < len(steps):
        name = _called_name(steps, pos, problems)
        if name is None or problems:
            break
        pos += 2
        key: InstanceKey = NO_KEY
        if pos < len(steps) and isinstance(index := steps[pos], Index):
            pos += 1
            if index.key is None:
                detail = f"Invalid module index: {NOT_A_WHOLE_NUMBER}."
                problems.append(AddressProblem(index.column, _OPERATOR_SUMMARY, detail))
            else:
                key = index.key
        found.append(ModuleStep(name, key))
    return ModuleInstance(tuple(found)), steps[pos:]


def split_module(steps: Steps, problems: list[AddressProblem]) -> tuple[Module, Steps]:
    """Like split_module_instance(), for a path without keys. Source: parseModulePrefix."""
    names: list[str] = []
    pos = 0
    while pos < len(steps):
        name = _called_name(steps, pos, problems)
        if name is None or problems:
            break
        pos += 2
        if pos < len(steps) and isinstance(index := steps[pos], Index):
            detail = (
                'Module address cannot be a module instance (e.g. "module.a[0]"), it must be a module instead '
                '(e.g. "module.a").'
            )
            problems.append(AddressProblem(index.column, "Module instance address with keys is not allowed", detail))
            break
        names.append(name)
    return Module(tuple(names)), steps[pos:]


_OPERATOR_SUMMARY = "Invalid address operator"


def _called_name(steps: Steps, pos: int, problems: list[AddressProblem]) -> str | None:
    """Return the name of the module call at `pos`, or None if there is none. Source: getModuleName."""
    keyword = steps[pos]
    name = steps[pos + 1] if pos + 1 < len(steps) else None
    if isinstance(keyword, Index):
        detail = "Module address prefix must be followed by dot and then a name."
        problems.append(AddressProblem(keyword.column, _OPERATOR_SUMMARY, detail))
    elif keyword.name == "module":
        if isinstance(name, Attr):
            return name.name
        detail = 'Prefix "module." must be followed by a module name.'
        problems.append(AddressProblem((name or keyword).column, _OPERATOR_SUMMARY, detail))
    return None


_RESOURCE_SUMMARY: Final = "Invalid address"
_EXTRA_OPERATORS: Final = "Unexpected extra operators after address."
_MODES: Final = {"data": ResourceMode.DATA, "ephemeral": ResourceMode.EPHEMERAL}
_RESOURCE_TYPE_REQUIRED: Final = {
    ResourceMode.MANAGED: "A resource type name is required.",
    ResourceMode.DATA: "A data source name is required.",
    ResourceMode.EPHEMERAL: "An ephemeral resource name is required.",
}


# A resource block as programs write it, of ASCII characters; its type is not a keyword.
_USUAL: Final = pattern(
    r"((?:module\.[A-Za-z_][A-Za-z0-9_-]*+\.)*+)(data\.|ephemeral\.)?+"
    r"(?!module\.)([A-Za-z_][A-Za-z0-9_-]*+)\.([A-Za-z_][A-Za-z0-9_-]*+)"
)
# Cache size for module paths of all files of a run.
_KEPT: Final = 4096


def usual_config_resource(text: str) -> ConfigResource | None:
    """Parse a resource block in its canonical form; return None if that needs the full grammar."""
    usual = _USUAL.fullmatch(text)
    if usual is None:
        return None
    path, mode, type_, name = usual.groups()
    resource = Resource(_MODES[mode[:-1]] if mode else ResourceMode.MANAGED, type_, name)
    return ConfigResource(_module_before(path), resource)


@lru_cache(maxsize=_KEPT)
def _module_before(path: str) -> Module:
    """Return the module of a path that ends with a dot: every second word."""
    return Module(tuple(path.split(".")[1::2]))


def parse_abs_resource_instance(text: str) -> AbsResourceInstance:
    """Parse a resource instance from `module.a["x"].aws_instance.web[0]`; without a key, its key is NO_KEY.

    Raises AddressError. Source: ParseAbsResourceInstanceStr.
    """
    return _target(
        text,
        "A resource instance address is required here. The module path must be followed by a resource instance "
        "specification.",
    )


def parse_abs_resource(text: str) -> AbsResource:
    """Parse a resource from `module.a["x"].aws_instance.web`. Refuses an instance key.

    Raises AddressError. Source: ParseAbsResourceStr.
    """
    target = _target(
        text, "A resource address is required here. The module path must be followed by a resource specification."
    )
    if target.key != NO_KEY:
        detail = (
            "A resource address is required. This instance key identifies a specific resource instance, which is "
            "not expected here."
        )
        raise _resource_error(text, parse_traversal(text)[-1].column, detail)
    return target.containing_resource()


def parse_config_resource(text: str) -> ConfigResource:
    """Parse a resource block from `module.a.aws_instance.web`. Refuses all keys.

    Raises AddressError. Source: ParseConfigResource.
    """
    usual = usual_config_resource(text)
    if usual is not None:
        return usual
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module(steps, problems)
    if problems:
        raise AddressError(text, problems)
    if not rest:
        detail = "Expected reference to either resource or data block. Provided reference appears to be a module."
        raise refusal(text, 1, "Module address is not allowed", detail)
    resource, rest = _split_resource(text, rest)
    if len(rest) == 1:
        detail = (
            'Resource address cannot be a resource instance (e.g. "null_resource.a[0]"), it must be a resource instead '
            '(e.g. "null_resource.a").'
        )
        raise refusal(text, rest[0].column, "Resource instance address with keys is not allowed", detail)
    if rest:
        raise _resource_error(text, rest[1].column, _EXTRA_OPERATORS)
    return ConfigResource(module, resource)


def resource_instance_of(text: str, steps: Steps) -> ResourceInstance:
    """Return the resource instance named by `steps`: at least one step, all after the module path of `text`.

    Raises AddressError. Source: parseResourceInstanceUnderModule.
    """
    resource, rest = _split_resource(text, steps)
    if len(rest) > 1:
        raise _resource_error(text, rest[1].column, _EXTRA_OPERATORS)
    if not rest:
        return ResourceInstance(resource, NO_KEY)
    step = rest[0]
    if isinstance(step, Attr):
        raise _resource_error(text, step.column, "Resource instance key must be given in square brackets.")
    if step.key is None:
        raise _resource_error(text, step.column, f"Invalid resource instance key: {NOT_A_WHOLE_NUMBER}.")
    return ResourceInstance(resource, step.key)


def _target(text: str, required: str) -> AbsResourceInstance:
    """Parse a resource instance; refuse a module instance with the detail `required`. Source: ParseTarget."""
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module_instance(steps, problems)
    if problems:
        raise AddressError(text, problems)
    if not rest:
        raise _resource_error(text, steps[0].column, required)
    return AbsResourceInstance(module, resource_instance_of(text, rest))


def _split_resource(text: str, steps: Steps) -> tuple[Resource, Steps]:
    """Split `steps` into a resource and the remaining steps. Source: parseResourceTypeAndName."""
    mode = ResourceMode.MANAGED
    first = steps[0]
    if isinstance(first, Attr) and first.name in _MODES:
        mode = _MODES[first.name]
        steps = steps[1:]
    if len(steps) < 2:
        detail = "Resource specification must include a resource type and name."
        raise _resource_error(text, (steps[0] if steps else first).column, detail)
    type_step, name_step = steps[0], steps[1]
    if isinstance(type_step, Index):
        raise _resource_error(text, type_step.column, _RESOURCE_TYPE_REQUIRED[mode])
    if isinstance(name_step, Index):
        raise _resource_error(text, name_step.column, "A resource name is required.")
    return Resource(mode, type_step.name, name_step.name), steps[2:]


def _resource_error(text: str, column: int, detail: str) -> AddressError:
    return refusal(text, column, _RESOURCE_SUMMARY, detail)


_PROVIDER_SUMMARY: Final = "Invalid provider configuration address"
_REFERENCE_SUMMARY: Final = "Invalid provider configuration reference"
_PROVIDER_TYPE_REQUIRED: Final = 'The prefix "provider." must be followed by a provider type name.'
_ALIAS_REQUIRED: Final = "Provider type name must be followed by a configuration alias name."


def parse_config_provider_config(text: str) -> ConfigProviderConfig:
    """Parse a provider configuration from `module.m.provider["hashicorp/aws"].alias`. Refuses instance keys.

    Raises AddressError. Source: ParseAbsProviderConfigStr.
    """
    instance = parse_abs_provider_instance(text)
    if instance.key is not NO_KEY:
        column = parse_traversal(text)[0].column
        raise _provider_error(text, [], column, "A provider address must not include an instance key.")
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
        raise _provider_error(text, problems, rest[4].column, detail)
    provider = _provider(text, rest[1], problems)
    alias = _alias(text, rest[2], problems) if len(rest) > 2 else ""
    key: InstanceKey = NO_KEY
    if len(rest) > 3:
        step = rest[3]
        if isinstance(step, Attr):
            detail = "A provider configuration alias can be followed only by an instance key in brackets."
            raise _provider_error(text, problems, step.column, detail)
        if step.key is None:
            detail = f"Invalid provider instance key: {NOT_A_WHOLE_NUMBER}."
            raise _provider_error(text, problems, step.column, detail)
        key = step.key
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
        raise _provider_error(text, problems, rest[3].column, detail)
    name = rest[1]
    if isinstance(name, Index):
        raise _provider_error(text, problems, name.column, _PROVIDER_TYPE_REQUIRED)
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
    detail = "The provider type name must either stand alone or be followed by an alias name separated with a dot."
    problems = [AddressProblem(alias.column, _PROVIDER_SUMMARY, detail)]
    if len(steps) > 2:
        detail = "Extraneous extra operators after provider configuration address."
        problems.append(AddressProblem(steps[2].column, _PROVIDER_SUMMARY, detail))
    raise AddressError(text, problems)


def parse_local_provider_instance(text: str) -> LocalProviderInstance:
    """Parse a provider instance from `aws.by_region["us"]`, the form of a resource's `provider` argument.

    Raises AddressError, also if the local name is not normalized. Source: decodeProviderConfigRef.
    """
    steps = parse_traversal(text)
    name = _root_name(steps)
    _check_local_name(text, steps[0].column, name)
    if len(steps) > 3:
        detail = (
            "The provider argument requires a provider type name, optionally followed by a period and then a "
            "configuration alias and optional instance key."
        )
        raise refusal(text, steps[3].column, _REFERENCE_SUMMARY, detail)
    alias = ""
    if len(steps) > 1:
        step = steps[1]
        if isinstance(step, Index):
            raise refusal(text, step.column, _REFERENCE_SUMMARY, _STAND_ALONE)
        alias = step.name
    key: InstanceKey = NO_KEY
    if len(steps) > 2:
        step = steps[2]
        if isinstance(step, Attr):
            raise refusal(text, step.column, _REFERENCE_SUMMARY, _STAND_ALONE)
        if step.key is None:
            raise refusal(
                text, step.column, _REFERENCE_SUMMARY, f"Invalid provider instance key: {NOT_A_WHOLE_NUMBER}."
            )
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
        raise _provider_error(text, problems, column, keyed)
    first = rest[0] if len(rest) > 1 else None
    if not isinstance(first, Attr) or first.name != "provider":
        detail = 'Provider address must begin with "provider.", followed by a provider type name.'
        raise _provider_error(text, problems, column, detail)
    return instance.module(), rest


def _provider(text: str, step: Step, problems: list[AddressProblem]) -> Provider:
    if isinstance(step, Attr) or not isinstance(step.key, StringKey):
        raise _provider_error(text, problems, step.column, _PROVIDER_TYPE_REQUIRED)
    try:
        return parse_provider_source(step.key.value)
    except AddressError as error:
        found = [AddressProblem(step.column, problem.summary, problem.detail) for problem in error.problems]
        raise AddressError(text, [*problems, *found]) from None


def _alias(text: str, step: Step, problems: list[AddressProblem]) -> str:
    if isinstance(step, Index):
        raise _provider_error(text, problems, step.column, _ALIAS_REQUIRED)
    return step.name


def _root_name(steps: Steps) -> str:
    root = steps[0]
    assert isinstance(root, Attr), "every traversal begins with a name"
    return root.name


def _check_local_name(text: str, column: int, name: str) -> None:
    summary = "Invalid provider local name"
    try:
        normal = normalize_provider_part(name)
    except ValueError as error:
        raise refusal(text, column, summary, f"{name} is an invalid provider local name: {error}") from None
    if normal != name:
        detail = f"Provider names must be normalized. Replace {quote(name)} with {quote(normal)} to fix this error."
        raise refusal(text, column, summary, detail)


def _provider_error(text: str, problems: list[AddressProblem], column: int, detail: str) -> AddressError:
    return refusal(text, column, _PROVIDER_SUMMARY, detail, problems)
