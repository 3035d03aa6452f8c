"""Models the checkable objects in a state's `check_results`, and the configuration block of each.

Sources: OpenTofu `internal/addrs/checkable.go`, `output_value.go`, `check.go`, `input_variable.go`.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar, Final, TypeAlias

import msgspec

from statefmt.model.addrs import AbsResourceInstance, ConfigResource, Module, ModuleInstance
from statefmt.model.addrs.parsing import resource_instance_of, split_module_instance
from statefmt.model.addrs.provider import refusal
from statefmt.model.addrs.traversal import Attr, Steps, parse_traversal
from statefmt.model.errors import AddressError, AddressProblem


class CheckableKind(Enum):
    """The kind of a checkable object; the value is the `object_kind` of state files."""

    RESOURCE = "resource"
    OUTPUT = "output"
    CHECK = "check"
    VARIABLE = "var"


class _InConfiguration(msgspec.Struct, frozen=True, gc=False):
    """A named block of a module."""

    keyword: ClassVar[str]
    module: Module
    name: str

    def __str__(self) -> str:
        text = f"{self.keyword}.{self.name}"
        return f"{self.module}.{text}" if self.module.names else text


class ConfigOutputValue(_InConfiguration, frozen=True, gc=False):
    """An output block: `module.a.output.url`."""

    keyword = "output"


class ConfigCheck(_InConfiguration, frozen=True, gc=False):
    """A check block: `module.a.check.health`."""

    keyword = "check"


class ConfigInputVariable(_InConfiguration, frozen=True, gc=False):
    """A variable block: `module.a.var.region`."""

    keyword = "var"


class _InModuleInstance(msgspec.Struct, frozen=True, gc=False):
    """The object of a named block in one module instance."""

    keyword: ClassVar[str]
    module: ModuleInstance
    name: str

    def __str__(self) -> str:
        text = f"{self.keyword}.{self.name}"
        return f"{self.module}.{text}" if self.module.steps else text


class AbsOutputValue(_InModuleInstance, frozen=True, gc=False):
    """An output value of a module instance: `module.a["k"].output.url`."""

    keyword = "output"

    def config(self) -> ConfigOutputValue:
        """Return the block that declares this output value."""
        return ConfigOutputValue(self.module.module(), self.name)


class AbsCheck(_InModuleInstance, frozen=True, gc=False):
    """A check in a module instance: `module.a["k"].check.health`."""

    keyword = "check"

    def config(self) -> ConfigCheck:
        """Return the block of this check."""
        return ConfigCheck(self.module.module(), self.name)


class AbsInputVariable(_InModuleInstance, frozen=True, gc=False):
    """An input variable of a module instance: `module.a["k"].var.region`."""

    keyword = "var"

    def config(self) -> ConfigInputVariable:
        """Return the block that declares this variable."""
        return ConfigInputVariable(self.module.module(), self.name)


# The objects of conditions, checks and validations in a state.
Checkable: TypeAlias = AbsResourceInstance | AbsOutputValue | AbsCheck | AbsInputVariable
# The same objects in a configuration: without keys.
ConfigCheckable: TypeAlias = ConfigResource | ConfigOutputValue | ConfigCheck | ConfigInputVariable

_TYPES: Final[dict[CheckableKind, type[AbsOutputValue] | type[AbsCheck] | type[AbsInputVariable]]] = {
    CheckableKind.OUTPUT: AbsOutputValue,
    CheckableKind.CHECK: AbsCheck,
    CheckableKind.VARIABLE: AbsInputVariable,
}
_SUMMARY: Final = "Invalid checkable address"
_THING: Final = {"output": "output value", "check": "check block", "var": "variable value"}


def parse_checkable(kind: CheckableKind, text: str) -> Checkable:
    """Parse the address of a checkable object; its `config()` is the block in configuration.

    The address alone is ambiguous, since `output` and the like may be resource types. Raises AddressError, also for
    addresses that crash OpenTofu. Source: ParseCheckableStr.
    """
    steps = parse_traversal(text)
    problems: list[AddressProblem] = []
    module, rest = split_module_instance(steps, problems)
    if problems:
        raise AddressError(text, problems)
    if not rest:
        detail = "Module path must be followed by either a resource instance address or an output value address."
        raise refusal(text, steps[0].column, _SUMMARY, detail)
    if kind is CheckableKind.RESOURCE:
        return AbsResourceInstance(module, resource_instance_of(text, rest))
    of = _TYPES[kind]
    return of(module, _name(text, rest, of.keyword))


def _name(text: str, steps: Steps, keyword: str) -> str:
    """Return the name in the steps `keyword.name`."""
    first, second = steps[0], steps[1] if len(steps) == 2 else None
    details = []
    if not isinstance(first, Attr) or first.name != keyword:
        details.append(f"must follow the module address with the keyword '{keyword}'")
    elif isinstance(second, Attr):
        return second.name
    if not isinstance(second, Attr):
        details.append(
            f"must have only one attribute part after the keyword '{keyword}', giving the name of the {_THING[keyword]}"
        )
    title = f"{keyword.capitalize()} address"
    raise AddressError(text, [AddressProblem(first.column, _SUMMARY, f"{title} {detail}.") for detail in details])
