"""Models OpenTofu's addresses as immutable values that parse, print, compare and sort as in OpenTofu.

For every type `parse(str(address)) == address` if OpenTofu itself can parse the string. Parsers raise only
`statefmt.model.errors.AddressError`, for any string.

Sources: OpenTofu `internal/addrs`, in `instance_key.go`, `module.go`, `module_instance.go`, `resource.go` and
`provider_config.go`.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from statefmt.golang import quote
from statefmt.model.addrs.provider import BUILTIN_NAMESPACE, LEGACY_NAMESPACE, Provider
from statefmt.text import pattern

# OpenTofu's error for a number that does not fit into an IntKey (go-cty, gocty.FromCtyValue into an int).
NOT_A_WHOLE_NUMBER: Final = "value must be a whole number, between -9223372036854775808 and 9223372036854775807"


class NoKey(Enum):
    """The key of an object without `count` and `for_each`; its only value is `NO_KEY`, which prints as ""."""

    NO_KEY = None

    __hash__ = object.__hash__  # a single value, so identity suffices and is much cheaper than Enum's hash

    def __str__(self) -> str:
        return ""

    def __repr__(self) -> str:
        return "NO_KEY"


class IntKey(msgspec.Struct, frozen=True, gc=False):
    """A key from `count`: `[0]`. A signed 64-bit integer; parsed keys are never negative."""

    value: int

    def __str__(self) -> str:
        return f"[{self.value}]"


class StringKey(msgspec.Struct, frozen=True, gc=False):
    """A key from `for_each`: `["a"]`, quoted as in HCL. `StringKey("0")` is not `IntKey(0)`.

    Parsed keys are in NFC. As in OpenTofu, other keys print unchanged and parse back as NFC.
    """

    value: str

    def __str__(self) -> str:
        return f"[{hcl_quote(self.value)}]"


# Each is compared by its type and its value; `str()` is the form in an address.
InstanceKey: TypeAlias = NoKey | IntKey | StringKey

# Prints as "".
NO_KEY: Final = NoKey.NO_KEY


_PLAIN = pattern(r"[ !#&-\[\]-~]*+")  # printable ASCII that needs no escapes: no '"', '$', '%', '\'
_HCL_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_TEMPLATE_START = pattern(r"([$%])\{")


def hcl_quote(text: str) -> str:
    """Quote `text` as an HCL string literal that parses back to it.

    Characters that are not printable by Go's unicode.IsPrint become `\\uXXXX`; `str.isprintable` applies the same
    rule with Python's Unicode version. Source: OpenTofu `internal/addrs/instance_key.go`, toHCLQuotedString.
    """
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    escaped = "".join([_HCL_ESCAPES.get(char) or (char if char.isprintable() else _code_point(char)) for char in text])
    return '"' + _TEMPLATE_START.sub(r"\1\1{", escaped) + '"'


def _code_point(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


# No configuration nests modules as deeply. The work on all ancestors of a module grows with the square of its depth.
_DEEPEST: Final = 200
# Cache size for printed module instances; resources of one module usually follow each other.
_KEPT: Final = 1024


class Module(msgspec.Struct, frozen=True, gc=False):
    """A path of module calls in configuration, `module.a.module.b`; the root module has no names and prints as ""."""

    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ".".join([f"module.{name}" for name in self.names])

    def __bool__(self) -> bool:
        """False for the root module, as for any empty path."""
        return bool(self.names)

    @property
    def is_root(self) -> bool:
        """Whether this is the root module."""
        return not self.names

    def child(self, name: str) -> Module:
        """Return the module that a call in this module names."""
        return Module((*self.names, name))

    def parent(self) -> Module:
        """Return the calling module; the root module is its own parent."""
        return Module(self.names[:-1])

    def unkeyed_instance(self) -> ModuleInstance:
        """Return the instance on this path if none of its calls uses `count` or `for_each`."""
        return ModuleInstance(tuple([ModuleStep(name) for name in self.names]))


class ModuleStep(msgspec.Struct, frozen=True, gc=False):
    """One call on the path to a module instance: `module.a["x"]`."""

    name: str
    key: InstanceKey = NO_KEY

    def __str__(self) -> str:
        return f"module.{self.name}{self.key}"


class ModuleInstance(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """A path of module instances, `module.a["x"].module.b[0]`; the root module has no steps and prints as ""."""

    steps: tuple[ModuleStep, ...] = ()

    def __str__(self) -> str:
        return _text(self) if self.steps else ""

    def __bool__(self) -> bool:
        """False for the root module, as for any empty path."""
        return bool(self.steps)

    @property
    def is_root(self) -> bool:
        """Whether this is the root module."""
        return not self.steps

    def child(self, name: str, key: InstanceKey = NO_KEY) -> ModuleInstance:
        """Return an instance of the module that a call in this module names."""
        return ModuleInstance((*self.steps, ModuleStep(name, key)))

    def parent(self) -> ModuleInstance:
        """Return the calling module instance; the root module is its own parent."""
        return ModuleInstance(self.steps[:-1])

    def module(self) -> Module:
        """Return the static path, which all instances of a module share."""
        return Module(tuple([step.name for step in self.steps]))

    @property
    def on_the_way(self) -> tuple[ModuleInstance, ...]:
        """The ancestors of this module without the root, outermost first, and the module itself; empty for the root.

        Raises RecursionError if there are more than 200.
        """
        if len(self.steps) > _DEEPEST:
            raise RecursionError
        return tuple(ModuleInstance(self.steps[:depth]) for depth in range(1, len(self.steps) + 1))

    def contains(self, other: ModuleInstance) -> bool:
        """Return whether `other` is this module instance or a descendant."""
        return other.steps[: len(self.steps)] == self.steps


@lru_cache(maxsize=_KEPT)
def _text(module: ModuleInstance) -> str:
    """Print a module instance. Cached, since the address of every resource in it starts with this string."""
    return ".".join([f"module.{step.name}{step.key}" for step in module.steps])


class ResourceMode(Enum):
    """The kind of block that declares a resource; the value is the `mode` in state files."""

    MANAGED = "managed"
    DATA = "data"
    EPHEMERAL = "ephemeral"

    __hash__ = object.__hash__  # as in NoKey


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
        """Return the resource of this instance."""
        return AbsResource(self.module, self.resource.resource)

    def config(self) -> ConfigResource:
        """Return the block that declares this instance."""
        return ConfigResource(self.module.module(), self.resource.resource)


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


# Sort keys for OpenTofu's two orders: the order of `tofu state list` and the order of state files. Strings compare by
# code point, which is the order of their UTF-8 bytes.
KeyOrder: TypeAlias = tuple[int, int, str]
ModuleOrder: TypeAlias = tuple[int, tuple[tuple[str, KeyOrder], ...]]
ResourceOrder: TypeAlias = tuple[int, str, str]
ListOrder: TypeAlias = tuple[ModuleOrder, ResourceOrder, KeyOrder]
ResourceFileOrder: TypeAlias = tuple[str, str, str, str]

_NO_KEY_ORDER: Final[KeyOrder] = (0, 0, "")
# Faster than `mode.value`.
_MODE_TEXTS: Final = {mode: mode.value for mode in ResourceMode}
_MODES: Final = {ResourceMode.EPHEMERAL: 0, ResourceMode.DATA: 1, ResourceMode.MANAGED: 2}


def key_order(key: InstanceKey) -> KeyOrder:
    """Sort NO_KEY first, then integers by number, then strings. Source: InstanceKeyLess."""
    if isinstance(key, IntKey):
        return 1, key.value, ""
    if isinstance(key, StringKey):
        return 2, 0, key.value
    return _NO_KEY_ORDER


def module_instance_order(module: ModuleInstance) -> ModuleOrder:
    """Sort by number of steps, then by name and key of each step. Source: ModuleInstance.Less."""
    return len(module.steps), tuple(map(_step_order, module.steps))


# Modules share most of their steps; sharing their sort keys saves memory.
@lru_cache(maxsize=4096)
def _step_order(step: ModuleStep) -> tuple[str, KeyOrder]:
    return step.name, key_order(step.key)


def resource_order(resource: Resource) -> ResourceOrder:
    """Sort by mode (ephemeral, data, managed), then by type and name. Source: Resource.Less."""
    return _MODES[resource.mode], resource.type, resource.name


def list_order(address: AbsResource | AbsResourceInstance) -> ListOrder:
    """Sort as `list` does: by module, resource and key; a resource sorts like an instance without a key.

    Sources: AbsResource.Less and AbsResourceInstance.Less; the key comes from OpenTofu's `state list`.
    """
    if isinstance(address, AbsResource):
        return module_instance_order(address.module), resource_order(address.resource), _NO_KEY_ORDER
    instance = address.resource
    return module_instance_order(address.module), resource_order(instance.resource), key_order(instance.key)


def resource_file_order(address: AbsResource) -> ResourceFileOrder:
    """Sort as `resources` in a state file: by module, mode, type and name, all as strings.

    Source: OpenTofu `internal/states/statefile/version4.go`, sortResourcesV4.
    """
    resource = address.resource
    return str(address.module), _MODE_TEXTS[resource.mode], resource.type, resource.name


def instance_file_order(key: InstanceKey) -> KeyOrder:
    """Sort as the `instances` of a resource in a state file; callers sort equal keys by deposed key.

    Source: sortInstancesV4, which leaves the order between integers and strings undefined.
    """
    return key_order(key)
