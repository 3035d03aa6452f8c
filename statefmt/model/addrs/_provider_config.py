"""Models the addresses of provider configurations and their instances, local to a module and absolute.

Source: OpenTofu `internal/addrs/provider_config.go`. The parsers are in `_provider_config_parsing`.
"""

from __future__ import annotations

import msgspec

from statefmt.golang.quote import quote
from statefmt.model.addrs._module import Module
from statefmt.model.addrs.instance_key import NO_KEY, InstanceKey
from statefmt.model.addrs.provider import BUILTIN_NAMESPACE, LEGACY_NAMESPACE, Provider


class LocalProviderConfig(msgspec.Struct, frozen=True, gc=False):
    """A provider configuration as named in one module: `aws` or, with an alias, `aws.west`."""

    local_name: str
    alias: str = ""

    def __str__(self) -> str:
        return f"{self.local_name}.{self.alias}" if self.alias else self.local_name

    def instance(self, key: InstanceKey = NO_KEY) -> LocalProviderInstance:
        """Return the instance with a key. Raises ValueError for a key without an alias."""
        return LocalProviderInstance(self, key)


class LocalProviderInstance(msgspec.Struct, frozen=True, gc=False):
    """One instance of a provider configuration as named in one module: `aws.by_region["us"]`.

    Raises ValueError for a key without an alias, for which there is no syntax.
    """

    config: LocalProviderConfig
    key: InstanceKey = NO_KEY

    def __post_init__(self) -> None:
        _check_key(self.config.alias, self.key)

    def __str__(self) -> str:
        return f"{self.config}{self.key}"


class ConfigProviderConfig(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """One `provider` block: `module.m.provider["registry.opentofu.org/hashicorp/aws"].by_region`.

    OpenTofu's code calls it AbsProviderConfig. Without an alias it is the default configuration.
    """

    module: Module
    provider: Provider
    alias: str = ""

    def __str__(self) -> str:
        module = f"{self.module}." if self.module.names else ""
        alias = f".{self.alias}" if self.alias else ""
        return f"{module}provider[{quote(str(self.provider))}]{alias}"

    def legacy_str(self) -> str:
        """Print the address as in states before format 4: `module.m.provider.aws.by_region`.

        Raises ValueError for a provider that is neither legacy nor built-in.
        """
        if self.provider.namespace not in (LEGACY_NAMESPACE, BUILTIN_NAMESPACE):
            raise ValueError(f"{self.provider} cannot be represented as a legacy string")
        module = f"{self.module}." if self.module.names else ""
        alias = f".{self.alias}" if self.alias else ""
        return f"{module}provider.{self.provider.type}{alias}"

    def instance(self, key: InstanceKey = NO_KEY) -> AbsProviderInstance:
        """Return the instance with a key. Raises ValueError for a key without an alias."""
        return AbsProviderInstance(self, key)


class AbsProviderInstance(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """One instance of a provider configuration: `module.m.provider["…"].by_region["us-west-2"]`.

    Raises ValueError for a key without an alias, which OpenTofu could not parse.
    """

    config: ConfigProviderConfig
    key: InstanceKey = NO_KEY

    def __post_init__(self) -> None:
        _check_key(self.config.alias, self.key)

    def __str__(self) -> str:
        return f"{self.config}{self.key}"


def _check_key(alias: str, key: InstanceKey) -> None:
    if not alias and key is not NO_KEY:
        raise ValueError("only a provider configuration with an alias can have instance keys")
