"""Models the addresses of resources and their instances: within a module, within configuration, and absolute.

Source: OpenTofu `internal/addrs/resource.go`. The parsers are in `_resource_parsing`.
"""

from __future__ import annotations

from enum import Enum

import msgspec

from statefmt.model.addrs._module import Module, ModuleInstance
from statefmt.model.addrs.instance_key import NO_KEY, InstanceKey


class ResourceMode(Enum):
    """The kind of block that declares a resource; the value is the `mode` in state files."""

    MANAGED = "managed"
    DATA = "data"
    EPHEMERAL = "ephemeral"

    __hash__ = object.__hash__  # as in instance_key.NoKey


_PREFIX = {ResourceMode.MANAGED: "", ResourceMode.DATA: "data.", ResourceMode.EPHEMERAL: "ephemeral."}


class Resource(msgspec.Struct, frozen=True, gc=False):
    """A resource within some module: `aws_instance.web`, `data.aws_ami.x`, `ephemeral.vault_token.t`."""

    mode: ResourceMode
    type: str
    name: str

    def __str__(self) -> str:
        return f"{_PREFIX[self.mode]}{self.type}.{self.name}"

    def implied_provider(self) -> str:
        """Return the default local name of the provider: the type up to its first underscore."""
        return self.type.partition("_")[0]

    def instance(self, key: InstanceKey = NO_KEY) -> ResourceInstance:
        """Return the instance with a key."""
        return ResourceInstance(self, key)


class ResourceInstance(msgspec.Struct, frozen=True, gc=False):
    """One instance of a resource within some module: `aws_instance.web["a"]`."""

    resource: Resource
    key: InstanceKey = NO_KEY

    def __str__(self) -> str:
        return f"{self.resource}{self.key}"


class ConfigResource(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """A resource block in configuration: `module.a.aws_instance.web`."""

    module: Module
    resource: Resource

    def __str__(self) -> str:
        return f"{self.module}.{self.resource}" if self.module.names else str(self.resource)


class AbsResource(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """A resource in a module instance: `module.a["x"].aws_instance.web`."""

    module: ModuleInstance
    resource: Resource

    def __str__(self) -> str:
        # Written out, as this is printed for every resource of a state.
        resource = self.resource
        text = f"{_PREFIX[resource.mode]}{resource.type}.{resource.name}"
        return f"{self.module}.{text}" if self.module.steps else text

    def instance(self, key: InstanceKey = NO_KEY) -> AbsResourceInstance:
        """Return the instance with a key."""
        return AbsResourceInstance(self.module, ResourceInstance(self.resource, key))

    def config(self) -> ConfigResource:
        """Return the block that declares this resource."""
        return ConfigResource(self.module.module(), self.resource)


class AbsResourceInstance(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """One instance of a resource in a module instance: `module.a["x"].aws_instance.web[0]`."""

    module: ModuleInstance
    resource: ResourceInstance

    def __str__(self) -> str:
        return f"{self.module}.{self.resource}" if self.module.steps else str(self.resource)

    @property
    def key(self) -> InstanceKey:
        """The key of the instance; NO_KEY without one."""
        return self.resource.key

    def containing_resource(self) -> AbsResource:
        """Return the resource that this is an instance of."""
        return AbsResource(self.module, self.resource.resource)

    def config(self) -> ConfigResource:
        """Return the block that declares this instance."""
        return ConfigResource(self.module.module(), self.resource.resource)
