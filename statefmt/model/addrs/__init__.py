"""Models OpenTofu's addresses as immutable values that parse, print, compare and sort as in OpenTofu.

For every type `parse(str(address)) == address` if OpenTofu itself can parse the string. Parsers raise only
`statefmt.model.errors.AddressError`, for any string.
"""

from statefmt.model.addrs._checkable import (
    AbsCheck as AbsCheck,
    AbsInputVariable as AbsInputVariable,
    AbsOutputValue as AbsOutputValue,
    Checkable as Checkable,
    CheckableKind as CheckableKind,
    ConfigCheck as ConfigCheck,
    ConfigCheckable as ConfigCheckable,
    ConfigInputVariable as ConfigInputVariable,
    ConfigOutputValue as ConfigOutputValue,
    parse_checkable as parse_checkable,
)
from statefmt.model.addrs._module import Module as Module, ModuleInstance as ModuleInstance, ModuleStep as ModuleStep
from statefmt.model.addrs._module_parsing import (
    parse_module as parse_module,
    parse_module_instance as parse_module_instance,
)
from statefmt.model.addrs._provider_config import (
    AbsProviderInstance as AbsProviderInstance,
    ConfigProviderConfig as ConfigProviderConfig,
    LocalProviderConfig as LocalProviderConfig,
    LocalProviderInstance as LocalProviderInstance,
)
from statefmt.model.addrs._provider_config_parsing import (
    parse_abs_provider_instance as parse_abs_provider_instance,
    parse_config_provider_config as parse_config_provider_config,
    parse_legacy_provider_config as parse_legacy_provider_config,
    parse_local_provider_config as parse_local_provider_config,
    parse_local_provider_instance as parse_local_provider_instance,
)
from statefmt.model.addrs._resource import (
    AbsResource as AbsResource,
    AbsResourceInstance as AbsResourceInstance,
    ConfigResource as ConfigResource,
    Resource as Resource,
    ResourceInstance as ResourceInstance,
    ResourceMode as ResourceMode,
)
from statefmt.model.addrs._resource_parsing import (
    parse_abs_resource as parse_abs_resource,
    parse_abs_resource_instance as parse_abs_resource_instance,
    parse_config_resource as parse_config_resource,
    usual_config_resource as usual_config_resource,
)
from statefmt.model.addrs._scanner import is_identifier as is_identifier
from statefmt.model.addrs.instance_key import (
    NO_KEY as NO_KEY,
    InstanceKey as InstanceKey,
    IntKey as IntKey,
    NoKey as NoKey,
    StringKey as StringKey,
)
from statefmt.model.addrs.order import (
    instance_file_order as instance_file_order,
    key_order as key_order,
    list_order as list_order,
    module_instance_order as module_instance_order,
    resource_file_order as resource_file_order,
    resource_order as resource_order,
)
from statefmt.model.addrs.provider import (
    DEFAULT_HOST as DEFAULT_HOST,
    TERRAFORM_HOST as TERRAFORM_HOST,
    Provider as Provider,
    implied_provider as implied_provider,
    normalize_provider_part as normalize_provider_part,
    parse_provider_source as parse_provider_source,
)
