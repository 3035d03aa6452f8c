"""Verifies an apply: compares a plan with the states before and after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Raw, Struct

from statefmt.lifecycle.plan import Action, Change, PlanError, ShownPlan, ShownResource
from statefmt.lifecycle.schema import ProviderSchemas
from statefmt.lifecycle.verification._after import AfterChecks, OutputChecks
from statefmt.lifecycle.verification._compare import compare_attributes
from statefmt.lifecycle.verification._objects import Expectations, ObjectKey, Placed, Side, same_object, value_findings
from statefmt.lifecycle.verification._secrets import Secrets
from statefmt.model.addrs import AbsResource, ConfigProviderConfig, Module, ResourceMode
from statefmt.model.addrs.parsing import parse_module
from statefmt.model.addrs.provider import Provider, parse_provider_source
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import Snapshot
from statefmt.pairing import BlockPairing


class Verification(Struct, frozen=True, kw_only=True):
    """The findings about the states before and after the apply.

    `planned` counts the changes of objects in the plan, `not_made` the changes that were not made.
    """

    after: tuple[Finding, ...]
    before: tuple[Finding, ...] = ()
    planned: int = 0
    not_made: int = 0


def verify(
    plan: ShownPlan,
    before: Snapshot | None,
    after: Snapshot,
    *,
    schemas: ProviderSchemas | None = None,
    strict: bool = False,
    show_sensitive: bool = False,
) -> Verification:
    """Compare the states before and after an apply with its plan.

    Args:
        plan: The plan that was applied.
        before: The state for which the plan was made, None if there was none.
        after: The state after the apply.
        schemas: The schemas of the providers; None if they are not known.
        strict: Report deviations that OpenTofu tolerates for old providers as errors.
        show_sensitive: Show sensitive values in findings.

    Raises PlanError if values are nested too deeply to be compared, and SchemaError if a schema cannot be read.
    """
    expected = Expectations(plan, schemas)
    old, new = Side(before), Side(after)
    pairing = BlockPairing()
    checks = AfterChecks(expected, old, new, pairing, strict=strict, show_sensitive=show_sensitive)
    try:
        found = [
            *checks.findings(),
            *_binding_findings(expected, old, new),
            *OutputChecks(plan, before, after, pairing, show=show_sensitive).findings(),
            *_header_findings(plan, old, new),
        ]
        found_before: list[Finding] = []
        if before is not None:
            found_before += _before_findings(expected, old, pairing, show_sensitive=show_sensitive)
        elif count := len(list(_absent(expected, set()))):
            objects = "1 object" if count == 1 else f"{count} objects"
            found.append(
                Code.OTHER_STATE_PLANNED.finding(
                    _SUMMARY, f"The plan was made for a state with {objects}; give the state before with --before."
                )
            )
        return Verification(
            after=tuple(found),
            before=tuple(found_before),
            planned=sum(change.action.has_effect for change in plan.resource_changes),
            not_made=len(checks.failed),
        )
    except RecursionError:
        raise PlanError("a value in the plan or in a state is nested too deeply to be compared") from None


def _header_findings(plan: ShownPlan, old: Side, new: Side) -> Iterator[Finding]:
    """Yield findings about lineage and serial."""
    before, after = old.snapshot, new.snapshot
    if before is None or after is None:
        return
    if before.lineage and after.lineage != before.lineage:
        yield Code.LINEAGE_CHANGED.finding(
            "Lineage changed",
            f"The lineage was {before.lineage!r}, and is {after.lineage!r}: the states belong to different histories.",
            pointer="/lineage",
        )
    elif after.serial < before.serial or (
        after.serial == before.serial and _changes_state(plan) and not _same_content(old, new)
    ):
        yield Code.SERIAL_NOT_RAISED.finding(
            "Serial not raised",
            f"The serial was {before.serial}, and is {after.serial}; an apply that changes a state raises it.",
            pointer="/serial",
        )


def _changes_state(plan: ShownPlan) -> bool:
    """Return whether an apply of the plan certainly changes the state."""
    return (
        any(change.action.has_effect for change in plan.resource_changes)
        or any(change.previous_address is not None for change in plan.resource_changes)
        or any(change.action is not Action.NO_OP for change in plan.output_changes.values())
    )


def _same_content(old: Side, new: Side) -> bool:
    """Return whether an apply wrote nothing: it stopped before its first change."""
    assert old.snapshot is not None and new.snapshot is not None
    return (
        old.snapshot.outputs == new.snapshot.outputs
        and old.objects.keys() == new.objects.keys()
        and all(same_object(placed.obj, new.objects[key].obj) for key, placed in old.objects.items())
    )


_SUMMARY = "Plan made for another state"


def _before_findings(
    expected: Expectations, before: Side, pairing: BlockPairing, *, show_sensitive: bool
) -> Iterator[Finding]:
    """Yield a finding for each managed object that differs from the plan's prior state, apart from drift.

    Data sources are read anew for each plan. Providers upgrade objects of an older schema version first, so the
    values of these objects are not compared.
    """
    known: set[ObjectKey] = set()
    for key, placed in before.objects.items():
        if placed.is_data:
            continue
        instance, deposed = key
        address = expected.moves.get(instance, instance)
        known.add((address, deposed))
        prior = expected.prior.get((str(address), deposed))
        planned = _planned_before(expected, (address, deposed), prior)
        if planned is None:
            yield Code.OTHER_STATE_PLANNED.finding(
                _SUMMARY, "The plan does not know this object.", str(instance), before.pointer(placed)
            )
            continue
        if placed.obj.attributes is None or (
            prior is not None and prior.schema_version not in (None, placed.obj.schema_version)
        ):
            continue
        config, resource = placed.resource.provider_config, placed.resource.addr.resource
        schema, of = expected.schema("" if config is None else str(config.provider), resource)
        wanted = Raw(b"{}") if planned.before is None else planned.before
        # Attributes unknown to the schema are silently dropped.
        found = compare_attributes(wanted, None, placed.obj.attributes, of, pairing=pairing, ignore_added=True)
        # Values that refreshing found changed may become sensitive only by the change of the plan.
        change = expected.changes.get((address, deposed))
        changes = (planned,) if change is None else (planned, change.change)
        secrets = Secrets(resource.type, changes, (placed.obj,), schema, show=show_sensitive)
        yield from value_findings(found, Code.OTHER_STATE_PLANNED, str(instance), before, placed, secrets, strict=False)
    yield from _absent(expected, known)


def _planned_before(expected: Expectations, key: ObjectKey, prior: ShownResource | None) -> Change | None:
    """Return a change whose `before` is the object that the plan found in the state; None if it found none."""
    found = expected.drift.get(key) or expected.changes.get(key)
    if found is not None and found.change.before is not None and found.change.importing is None:
        return found.change
    if prior is None:
        return None
    return Change(
        action=found.action if found is not None else Action.NO_OP, before=prior.values,
        before_sensitive=prior.sensitive_values,
    )  # fmt: skip


def _absent(expected: Expectations, known: set[ObjectKey]) -> Iterator[Finding]:
    """Yield a finding for each object that the plan found and the state lacks."""
    texts = {(str(address), deposed) for address, deposed in known}
    imported = {
        (str(change.address), change.deposed)
        for change in expected.plan.resource_changes
        if change.change.importing is not None
    }
    old_texts = {str(new): str(old) for old, new in expected.moves.items()}
    for key, prior in expected.prior.items():
        if prior.mode != ResourceMode.DATA.value and key not in texts and key not in imported:
            address, deposed = key
            which = f"the deposed object {deposed}" if deposed else "the object"
            yield Code.OTHER_STATE_PLANNED.finding(
                _SUMMARY, f"The plan was made with {which}, which the state before does not have.",
                old_texts.get(address, address),
            )  # fmt: skip


# A resource block: the names of its module's calls, and its address there.
_Block: TypeAlias = tuple[tuple[str, ...], str]


class _ProviderJSON(Struct, gc=False):
    full_name: str = ""
    alias: str = ""
    module_address: str = ""


class _ResourceJSON(Struct, gc=False):
    address: str = ""
    provider_config_key: str = ""


class _ModuleJSON(Struct, gc=False):
    resources: tuple[_ResourceJSON, ...] | None = None
    module_calls: dict[str, _CallJSON] | None = None


class _CallJSON(Struct, gc=False):
    module: _ModuleJSON | None = None


class _ConfigurationJSON(Struct, gc=False):
    provider_config: dict[str, _ProviderJSON] | None = None
    root_module: _ModuleJSON | None = None


class _ConfiguredProvider(Struct, frozen=True):
    """The provider configuration of a resource block, according to the configuration in a plan.

    The configuration is in `module` or in a module that calls it. `alias` is None if the plan does not determine it.
    """

    provider: Provider
    module: Module
    alias: str | None

    def allows(self, config: ConfigProviderConfig) -> bool:
        """Return whether a resource with this block may be bound to a provider configuration."""
        return (
            config.provider == self.provider
            and self.alias in (None, config.alias)
            and self.module.names[: len(config.module.names)] == config.module.names
        )

    def __str__(self) -> str:
        return str(ConfigProviderConfig(self.module, self.provider, self.alias or ""))


def _configured_providers(raw: Raw | None) -> dict[_Block, _ConfiguredProvider]:
    """Return the provider of each readable resource block of a plan's configuration."""
    try:
        document = _ConfigurationJSON() if raw is None else msgspec.json.decode(raw, type=_ConfigurationJSON)
    except (msgspec.DecodeError, RecursionError):
        return {}
    found: dict[_Block, _ConfiguredProvider] = {}
    providers = {key: _configured(key, entry) for key, entry in (document.provider_config or {}).items()}
    waiting: list[tuple[tuple[str, ...], _ModuleJSON]] = [((), document.root_module or _ModuleJSON())]
    while waiting:
        names, module = waiting.pop()
        for resource in module.resources or ():
            provider = providers.get(resource.provider_config_key)
            if provider is not None:
                found[names, resource.address] = provider
        for name, call in (module.module_calls or {}).items():
            waiting.append(((*names, name), call.module or _ModuleJSON()))
    return found


def _configured(key: str, entry: _ProviderJSON) -> _ConfiguredProvider | None:
    try:
        module = parse_module(entry.module_address) if entry.module_address else Module()
        provider = parse_provider_source(entry.full_name)
    except AddressError:
        return None
    # A name with a dot and no alias is passed in from a caller, under a name known only to the caller.
    passed = "." in key.rpartition(":")[2] and not entry.alias
    return _ConfiguredProvider(provider, module, None if passed else entry.alias)


def _binding_findings(expected: Expectations, before: Side, after: Side) -> Iterator[Finding]:
    """Yield a finding for each resource that is bound to a provider other than planned.

    A plan names the provider's source, and in its configuration the provider block, but no provider instance. A
    resource that the plan does not change may also keep its binding.
    """
    blocks = _configured_providers(expected.plan.configuration)
    named, busy = _planned_providers(expected)
    for address, resource in after.resources.items():
        actual = resource.provider_config
        if actual is None or not resource.objects:
            continue
        old = before.resources.get(address)
        kept = old is not None and old.provider_config == actual
        source = named.get(address)
        pointer = after.resource_pointer(resource, "provider")
        if source is not None and not _is_source(source, actual.provider):
            yield _finding(f"planned by the provider {source}, but bound to {actual}", address, pointer)
            continue
        configured = blocks.get((address.module.module().names, str(address.resource)))
        if configured is None:
            if old is not None and not kept and old.provider_config is not None:
                yield _finding(f"bound to {old.provider_config} before, but to {actual}", address, pointer)
        elif not configured.allows(actual) and (address in busy or not kept):
            yield _finding(f"planned to be bound to {configured}, but bound to {actual}", address, pointer)
    yield from _instance_findings(expected, before, after)


def _planned_providers(expected: Expectations) -> tuple[Mapping[AbsResource, str], set[AbsResource]]:
    """Return the source of each resource's provider, and the resources that the plan changes."""
    named: dict[AbsResource, str] = {}
    busy: set[AbsResource] = set()
    for change in expected.plan.resource_changes:
        resource = change.address.containing_resource()
        if change.action.leaves_object:
            named[resource] = change.provider_name
            if change.action is not Action.NO_OP:
                busy.add(resource)
    return named, busy


def _instance_findings(expected: Expectations, before: Side, after: Side) -> Iterator[Finding]:
    """Yield a finding for each object whose provider instance, which no plan mentions, changed."""
    old_addresses = {new: old for old, new in expected.moves.items()}
    for (instance, deposed), placed in after.objects.items():
        old = before.objects.get((old_addresses.get(instance, instance), deposed))
        if old is None or old.obj.provider_key == placed.obj.provider_key:
            continue
        if old.resource.provider_config != placed.resource.provider_config:
            continue
        detail = f"bound to {_bound(old)} before, now to {_bound(placed)}; a plan in JSON does not say which is right"
        yield Code.PROVIDER_INSTANCE_CHANGED.finding(
            "Bound to another provider instance", detail, str(instance), after.pointer(placed, "provider")
        )


def _bound(placed: Placed) -> str:
    config = placed.resource.provider_config
    return "no provider" if config is None else f"{config}{placed.obj.provider_key}"


def _is_source(text: str, provider: Provider) -> bool:
    """Return whether a source address means the provider. Early releases wrote only its type."""
    if text == str(provider) or "/" not in text:
        return True
    try:
        return parse_provider_source(text) == provider
    except AddressError:
        return False


def _finding(detail: str, address: AbsResource, pointer: str) -> Finding:
    return Code.PROVIDER_NOT_AS_PLANNED.finding("Provider not as planned", detail, str(address), pointer)
