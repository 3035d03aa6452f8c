"""Reads the account and region of planned objects: from the provider blocks in the configuration of a plan.

Source: Terraform `internal/command/jsonconfig/config.go`. An argument counts if it is a constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.providers.facts import FactKind, object_facts, overridden, settings_facts
from statefmt.hcl.value import Part, text
from statefmt.lifecycle.plan import PlannedChange
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.errors import AddressError
from statefmt.model.snapshot import ResourceInstanceObject


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
    """The facts of the objects in a plan; none if its configuration is not known."""

    def __init__(self, configuration: Raw | None) -> None:
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

    def of_destroyed(self, change: PlannedChange) -> Mapping[FactKind, str]:
        """Return the facts in an object's own attributes."""
        before = change.change.before
        try:
            provider = parse_provider_source(change.provider_name)
        except AddressError:
            return {}
        obj = ResourceInstanceObject(attributes=before)
        return {} if before is None else object_facts(provider, change.address.resource.resource.type, obj)

    def of_created(self, change: PlannedChange) -> Mapping[FactKind, str]:
        """Return the facts of an object's provider block, without facts that the resource block sets itself."""
        resource = self._resources.get((change.address.module.module().names, str(change.address.resource.resource)))
        provider = None if resource is None else self._providers.get(resource.provider_config_key)
        if resource is None or provider is None:
            return {}
        try:
            source = parse_provider_source(change.provider_name)
        except AddressError:
            return {}
        free = overridden(source, (resource.expressions or {}).keys())
        facts = settings_facts(source, dict(_constants(provider.expressions or {})))
        return {kind: value for kind, value in facts.items() if kind not in free}


def _constants(expressions: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Part]]:
    """Yield the constant string arguments by their paths: `assume_role[0].role_arn`."""
    for name, value in expressions.items():
        if isinstance(value, dict) and isinstance(value.get("constant_value"), str):
            yield f"{path}{name}", text(value["constant_value"])
        elif isinstance(value, list):
            for number, block in enumerate(value):
                if isinstance(block, dict):
                    yield from _constants(block, f"{path}{name}[{number}].")
