"""Reads the account and region of planned objects: from the configuration of a plan, and from its directory if given.

Sources: Terraform `internal/command/jsonconfig/config.go` and `expression.go`; the same in OpenTofu. A plan has the
values of constant expressions, and only the references of others: `each.value` and `"${each.value}-x"` look the same.
It has no `for_each` of provider blocks. So without the directory, an argument counts if it is a constant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.providers.facts import FactKind, object_facts, overridden, settings_facts
from statefmt.hcl.value import Part, text
from statefmt.lifecycle.plan import Action, PlannedChange
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.errors import AddressError
from statefmt.model.snapshot import ResourceInstanceObject

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences


class _PlannedProvider(Struct, gc=False):
    expressions: dict[str, Any] | None = None


class _PlannedResource(Struct, gc=False):
    address: str = ""
    provider_config_key: str = ""
    expressions: dict[str, Any] | None = None


class _PlannedModule(Struct, gc=False):
    resources: list[_PlannedResource] | None = None
    module_calls: dict[str, _PlannedCall] | None = None


class _PlannedCall(Struct, gc=False):
    module: _PlannedModule | None = None


class _PlannedConfiguration(Struct, gc=False):
    provider_config: dict[str, _PlannedProvider] | None = None
    root_module: _PlannedModule | None = None


class PlannedFacts:
    """The facts of the objects in a plan. `references` are of the configuration that it was made from, if given."""

    def __init__(self, configuration: Raw | None, references: ProviderReferences | None = None) -> None:
        self._references: Final = references
        self._resources: Final[dict[tuple[tuple[str, ...], str], _PlannedResource]] = {}
        try:
            found = None if configuration is None else msgspec.json.decode(configuration, type=_PlannedConfiguration)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            found = None
        self._providers: Final = {} if found is None else found.provider_config or {}
        root = None if found is None else found.root_module
        waiting: list[tuple[tuple[str, ...], _PlannedModule]] = [((), root)] if root else []
        while waiting:
            names, module = waiting.pop()
            self._resources.update(((names, one.address), one) for one in module.resources or ())
            calls = (module.module_calls or {}).items()
            waiting += [((*names, name), call.module) for name, call in calls if call.module is not None]

    def of(self, change: PlannedChange) -> Mapping[FactKind, str]:
        """Return the facts in the attributes of a destroyed object, or in the provider of a created one.

        Facts that the block of a created object sets itself do not count.
        """
        try:
            source = parse_provider_source(change.provider_name)
        except AddressError:
            return {}
        if change.action is Action.DELETE:
            before = change.change.before
            type_name = change.address.resource.resource.type
            return {} if before is None else object_facts(source, type_name, ResourceInstanceObject(attributes=before))
        found = self._evaluated(change.address) or self._constant(change.address)
        if found is None:
            return {}
        settings, arguments = found
        free = overridden(source, arguments)
        return {kind: value for kind, value in settings_facts(source, settings).items() if kind not in free}

    def _evaluated(self, address: AbsResourceInstance) -> tuple[Mapping[str, Part], Collection[str]] | None:
        """Return the arguments of an object's provider instance, and the names of its block's arguments."""
        references = self._references
        block = None if references is None else references.blocks.get(address.config())
        if references is None or block is None or block.body is None:
            return None
        provider = references.instance_binding(address)
        if not isinstance(provider, AbsProviderInstance) or references.declares(provider) is not True:
            return None
        return references.settings(provider), block.body.names()

    def _constant(self, address: AbsResourceInstance) -> tuple[Mapping[str, Part], Collection[str]] | None:
        """Return the constant arguments of an object's provider block, and the names of its block's arguments."""
        resource = self._resources.get((address.module.module().names, str(address.resource.resource)))
        provider = None if resource is None else self._providers.get(resource.provider_config_key)
        if resource is None or provider is None:
            return None
        return dict(_constants(provider.expressions or {})), (resource.expressions or {}).keys()


def _constants(expressions: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Part]]:
    """Yield the constant string arguments by their paths: `assume_role[0].role_arn`."""
    for name, value in expressions.items():
        if isinstance(value, dict) and isinstance(value.get("constant_value"), str):
            yield f"{path}{name}", text(value["constant_value"])
        elif isinstance(value, list):
            for number, block in enumerate(value):
                if isinstance(block, dict):
                    yield from _constants(block, f"{path}{name}[{number}].")
