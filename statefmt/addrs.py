"""Exports OpenTofu's address types, their parsers and the error that the parsers raise."""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.model.addrs import (
        NO_KEY as NO_KEY,
        AbsProviderInstance as AbsProviderInstance,
        AbsResource as AbsResource,
        AbsResourceInstance as AbsResourceInstance,
        ConfigProviderConfig as ConfigProviderConfig,
        ConfigResource as ConfigResource,
        InstanceKey as InstanceKey,
        IntKey as IntKey,
        LocalProviderConfig as LocalProviderConfig,
        LocalProviderInstance as LocalProviderInstance,
        Module as Module,
        ModuleInstance as ModuleInstance,
        ModuleStep as ModuleStep,
        NoKey as NoKey,
        Resource as Resource,
        ResourceInstance as ResourceInstance,
        ResourceMode as ResourceMode,
        StringKey as StringKey,
        instance_file_order as instance_file_order,
        key_order as key_order,
        list_order as list_order,
        module_instance_order as module_instance_order,
        resource_file_order as resource_file_order,
        resource_order as resource_order,
    )
    from statefmt.model.addrs.checkable import (
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
    from statefmt.model.addrs.parsing import (
        parse_abs_provider_instance as parse_abs_provider_instance,
        parse_abs_resource as parse_abs_resource,
        parse_abs_resource_instance as parse_abs_resource_instance,
        parse_config_provider_config as parse_config_provider_config,
        parse_config_resource as parse_config_resource,
        parse_legacy_provider_config as parse_legacy_provider_config,
        parse_local_provider_config as parse_local_provider_config,
        parse_local_provider_instance as parse_local_provider_instance,
        parse_module as parse_module,
        parse_module_instance as parse_module_instance,
    )
    from statefmt.model.addrs.provider import (
        DEFAULT_HOST as DEFAULT_HOST,
        TERRAFORM_HOST as TERRAFORM_HOST,
        Provider as Provider,
        implied_provider as implied_provider,
        normalize_provider_part as normalize_provider_part,
        parse_provider_source as parse_provider_source,
    )
    from statefmt.model.addrs.traversal import is_identifier as is_identifier
    from statefmt.model.errors import AddressError as AddressError
