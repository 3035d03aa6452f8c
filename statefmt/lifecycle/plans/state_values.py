"""Models a state as plans show it: outputs, and resources by module, with the values of each.

Source: OpenTofu `internal/command/jsonstate/state.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Raw, Struct

# The value of a member that is absent: JSON null.
ABSENT: Final = Raw(b"null")


class ShownOutput(Struct, frozen=True, kw_only=True, gc=False):
    """An output. `value` is null if it is unknown, `type` if nothing gives it."""

    sensitive: bool = False
    value: Raw = ABSENT
    type: Raw = ABSENT


class ShownResource(Struct, frozen=True, kw_only=True, gc=False):
    """One object of a resource instance, current or deposed. The members are those of the JSON form.

    `index` is None without a key. `values` lack what is unknown. Raw members are null if absent.
    """

    address: str
    mode: str = ""
    type: str = ""
    name: str = ""
    index: int | str | None = None
    provider_name: str = ""
    schema_version: int | None = None
    values: Raw = ABSENT
    sensitive_values: Raw = ABSENT
    depends_on: tuple[str, ...] | None = None
    tainted: bool = False
    deposed_key: str = ""
    identity: Raw = ABSENT
    identity_schema_version: int | None = None


class ShownModule(Struct, frozen=True, kw_only=True, gc=False):
    """A module instance: its address ("" for the root module), its resources, and the instances that it calls."""

    address: str = ""
    resources: tuple[ShownResource, ...] | None = None
    child_modules: tuple[ShownModule, ...] | None = None


class StateValues(Struct, frozen=True, kw_only=True, gc=False):
    """The values of a state: its outputs, and its resources as a tree of modules. Addresses are as written."""

    outputs: Mapping[str, ShownOutput] | None = None
    root_module: ShownModule = ShownModule()

    def modules(self) -> Iterator[ShownModule]:
        """Yield the root module and all others, callers first, in the order of the file."""
        waiting = [self.root_module]
        while waiting:
            module = waiting.pop()
            yield module
            waiting += reversed(module.child_modules or ())

    def resources(self) -> Iterator[ShownResource]:
        """Yield the objects of all modules in the order of the file."""
        for module in self.modules():
            yield from module.resources or ()
