"""The addresses of OpenTofu as immutable values: they parse, print, compare and sort as OpenTofu's do.

For every type `parse(str(address)) == address` as far as OpenTofu itself can read the text back. All parsers raise
`statefmt.model.errors.AddressError` and nothing else, whatever the text.
"""

from statefmt.model.addrs._checkable import (
    AbsCheck,
    AbsInputVariable,
    AbsOutputValue,
    Checkable,
    CheckableKind,
    ConfigCheck,
    ConfigCheckable,
    ConfigInputVariable,
    ConfigOutputValue,
    parse_checkable,
)
from statefmt.model.addrs._module import (
    Module,
    ModuleInstance,
    ModuleStep,
    parse_module,
    parse_module_instance,
)
from statefmt.model.addrs._provider_config import (
    AbsProviderInstance,
    ConfigProviderConfig,
    LocalProviderConfig,
    LocalProviderInstance,
)
from statefmt.model.addrs._provider_config_parsing import (
    parse_abs_provider_instance,
    parse_config_provider_config,
    parse_legacy_provider_config,
    parse_local_provider_config,
    parse_local_provider_instance,
)
from statefmt.model.addrs._resource import (
    AbsResource,
    AbsResourceInstance,
    ConfigResource,
    Resource,
    ResourceInstance,
    ResourceMode,
)
from statefmt.model.addrs._resource_parsing import (
    parse_abs_resource,
    parse_abs_resource_instance,
    parse_config_resource,
)
from statefmt.model.addrs._scanner import is_identifier
from statefmt.model.addrs.instance_key import (
    NO_KEY,
    InstanceKey,
    IntKey,
    NoKey,
    StringKey,
)
from statefmt.model.addrs.order import (
    instance_file_order,
    key_order,
    list_order,
    module_instance_order,
    resource_file_order,
    resource_order,
)
from statefmt.model.addrs.provider import (
    DEFAULT_HOST,
    TERRAFORM_HOST,
    Provider,
    implied_provider,
    normalize_provider_part,
    parse_provider_source,
)

__all__ = [
    "DEFAULT_HOST",
    "NO_KEY",
    "TERRAFORM_HOST",
    "AbsCheck",
    "AbsInputVariable",
    "AbsOutputValue",
    "AbsProviderInstance",
    "AbsResource",
    "AbsResourceInstance",
    "Checkable",
    "CheckableKind",
    "ConfigCheck",
    "ConfigCheckable",
    "ConfigInputVariable",
    "ConfigOutputValue",
    "ConfigProviderConfig",
    "ConfigResource",
    "InstanceKey",
    "IntKey",
    "LocalProviderConfig",
    "LocalProviderInstance",
    "Module",
    "ModuleInstance",
    "ModuleStep",
    "NoKey",
    "Provider",
    "Resource",
    "ResourceInstance",
    "ResourceMode",
    "StringKey",
    "implied_provider",
    "instance_file_order",
    "is_identifier",
    "key_order",
    "list_order",
    "module_instance_order",
    "normalize_provider_part",
    "parse_abs_provider_instance",
    "parse_abs_resource",
    "parse_abs_resource_instance",
    "parse_checkable",
    "parse_config_provider_config",
    "parse_config_resource",
    "parse_legacy_provider_config",
    "parse_local_provider_config",
    "parse_local_provider_instance",
    "parse_module",
    "parse_module_instance",
    "parse_provider_source",
    "resource_file_order",
    "resource_order",
]
