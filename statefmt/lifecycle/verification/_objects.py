"""Indexes a plan and the objects of a state by address, and compares one object in a state with the plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import token
from statefmt.lifecycle.legacy_sdk import is_legacy
from statefmt.lifecycle.plan import Action, Change, PlannedChange, ShownPlan, ShownResource
from statefmt.lifecycle.schema import ProviderSchemas, SchemaBlock, implied_type
from statefmt.lifecycle.verification._compare import compare_attributes
from statefmt.lifecycle.verification._difference import (
    ABSENT,
    Decoded,
    Difference,
    DifferenceKind,
    PathSteps,
    decoded,
    mask_of,
    true_paths,
)
from statefmt.lifecycle.verification._secrets import (
    BUILT_IN,
    MarkedPaths,
    Secrets,
    cut,
    is_sensitive,
    plain_paths,
    shown_value,
)
from statefmt.model.addrs import AbsResource, AbsResourceInstance, Resource, ResourceInstance, ResourceMode
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import DYNAMIC, Type
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding, Severity
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, ResourceState, Snapshot
from statefmt.pairing import BlockPairing
from statefmt.redaction.object_value import sounds_secret
from statefmt.redaction.partial import path_text

# An object: its instance, and its deposed key ("" for the current one).
ObjectKey: TypeAlias = tuple[AbsResourceInstance, str]


class Placed(NamedTuple):
    """An object in a state, with its resource."""

    resource: ResourceState
    obj: ResourceInstanceObject

    @property
    def is_data(self) -> bool:
        """Whether the object belongs to a data source."""
        return self.resource.addr.resource.mode is ResourceMode.DATA


class Side:
    """A state, with its objects by address; empty without a state."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        self.objects: dict[ObjectKey, Placed] = {}
        self.resources: dict[AbsResource, ResourceState] = {}
        self._has_pointers = snapshot is not None and snapshot.source is not None
        for resource in () if snapshot is None else snapshot.resources:
            self.resources.setdefault(resource.addr, resource)
            module, name = resource.addr.module, resource.addr.resource
            for obj in resource.objects:
                key = AbsResourceInstance(module, ResourceInstance(name, obj.key)), obj.deposed
                self.objects[key] = Placed(resource, obj)

    def pointer(self, placed: Placed, *steps: str | int) -> str:
        """Return the JSON pointer of an object, or of a part of it; "" in states of older formats."""
        if not self._has_pointers or placed.obj.origin is None:
            return ""
        block, number = placed.obj.origin
        return pointer(("resources", block, "instances", number, *steps))

    def resource_pointer(self, resource: ResourceState, *steps: str | int) -> str:
        """Return the JSON pointer of a resource, or of a part of it; "" in states of older formats."""
        if not self._has_pointers or not resource.origin:
            return ""
        return pointer(("resources", resource.origin[0], *steps))


def pointer(steps: PathSteps) -> str:
    return "".join([f"/{token(str(step))}" for step in steps])


def same_object(one: ResourceInstanceObject, other: ResourceInstanceObject) -> bool:
    """Return whether two objects are byte-identical in all members that a plan determines."""
    return (
        _same_bytes(one.attributes, other.attributes)
        and one.attributes_flat == other.attributes_flat
        and one.status is other.status
        and one.sensitive_attributes == other.sensitive_attributes
        and _same_bytes(one.identity, other.identity)
    )


def _same_bytes(one: Raw | None, other: Raw | None) -> bool:
    """Return whether two raw values have the same text, or are both absent."""
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and bytes(one) == bytes(other)


_BUILT_IN_PROVIDER = "/builtin/terraform"


class Expectations:
    """A plan, indexed by object."""

    def __init__(self, plan: ShownPlan, schemas: ProviderSchemas | None) -> None:
        self.plan = plan
        self.drift: dict[ObjectKey, PlannedChange] = {
            (change.address, change.deposed): change for change in plan.resource_drift
        }
        self.changes: dict[ObjectKey, PlannedChange] = {
            (change.address, change.deposed): change for change in plan.resource_changes
        }
        listed = (*plan.resource_drift, *plan.resource_changes)
        # New addresses of instances by their old ones.
        self.moves: dict[AbsResourceInstance, AbsResourceInstance] = {
            change.previous_address: change.address
            for change in listed
            if change.previous_address is not None and change.previous_address != change.address
        }
        prior = plan.prior_state
        # Objects of the refreshed state by address and deposed key, with addresses as text.
        self.prior: dict[tuple[str, str], ShownResource] = (
            {} if prior is None else {(found.address, found.deposed_key): found for found in prior.resources()}
        )
        self._schemas = schemas
        self._found: dict[tuple[str, Resource], tuple[SchemaBlock | None, Type]] = {}

    @property
    def removes_all(self) -> bool:
        """Whether the plan only removes objects, as `destroy` does: then data sources are dropped silently."""
        changes = self.plan.resource_changes
        return bool(changes) and all(change.action in (Action.DELETE, Action.FORGET) for change in changes)

    def schema(self, provider: str, resource: Resource) -> tuple[SchemaBlock | None, Type]:
        """Return the schema of a resource type, None if it is not known, and the type of its objects.

        Raises SchemaError if the schema cannot be read.
        """
        key = provider, resource
        if key not in self._found:
            self._found[key] = self._schema(provider, resource)
        return self._found[key]

    def _schema(self, provider: str, resource: Resource) -> tuple[SchemaBlock | None, Type]:
        if self._schemas is not None:
            # Other findings report a text in the plan that is not an address.
            with suppress(AddressError):
                found = self._schemas.schema(parse_provider_source(provider), resource.mode, resource.type)
                if found is not None:
                    return found.block, found.type
        name = str(resource).rpartition(".")[0]
        block = BUILT_IN.get(name) if provider.endswith(_BUILT_IN_PROVIDER) else None
        return block, DYNAMIC if block is None else implied_type(block)


# Values that the old SDK does not distinguish.
_EMPTY: Final[tuple[object, ...]] = (None, "", [], {})
_SUMMARIES: Final = {
    Code.VALUE_NOT_AS_PLANNED: "Value not as planned",
    Code.VALUE_LEFT_UNKNOWN: "Value not known after apply",
    Code.CHANGED_WITHOUT_PLAN: "Changed without a plan",
    Code.TOLERATED_FOR_LEGACY: "Value not as planned, tolerated for an old provider",
    Code.OTHER_STATE_PLANNED: "Plan made for another state",
}


def differences(planned: Raw, unknown: Raw | None, placed: Placed, of: Type, pairing: BlockPairing) -> list[Difference]:
    """Compare the attributes of an object with the planned ones. Does not compare flat attributes."""
    if placed.obj.attributes is None:
        return []
    return compare_attributes(planned, unknown, placed.obj.attributes, of, pairing=pairing)


def identity_findings(
    change: Change, address: str, side: Side, placed: Placed, secrets: Secrets, *, show_sensitive: bool
) -> Iterator[Finding]:
    """Yield a finding if the identity of an object is not the planned one.

    An identity repeats attributes and has no marks, so hide members that are sensitive as attributes, or that have
    the name of a secret.
    """
    if change.after_identity is None or placed.obj.identity is None:
        return
    for found in compare_attributes(change.after_identity, None, placed.obj.identity):
        code = Code.CHANGED_WITHOUT_PLAN if change.action is Action.NO_OP else Code.VALUE_NOT_AS_PLANNED
        depth = secrets.hidden_at(found.path)
        named = not show_sensitive and any(isinstance(step, str) and sounds_secret(step) for step in found.path)
        shown = found if depth is None else cut(found, depth)
        planned, actual = (
            shown_value(value, hide=named or depth is not None) for value in (found.planned, found.actual)
        )
        detail = f"identity, {path_text(shown.path)}: planned {planned}, but {actual}"
        yield code.finding(_SUMMARIES[code], detail, address, side.pointer(placed, "identity", *shown.tokens))


def value_findings(
    found: list[Difference], code: Code, address: str, side: Side, placed: Placed, secrets: Secrets, *, strict: bool
) -> Iterator[Finding]:
    """Yield a finding for each difference, with `code` unless the difference has its own code.

    All differences inside a hidden value make one finding, and so do all that are only in form: those of an object that
    the plan does not change and, unless `strict`, those that OpenTofu tolerates.
    """
    legacy = is_legacy(placed.obj.private)
    if code is Code.CHANGED_WITHOUT_PLAN or (code is Code.VALUE_NOT_AS_PLANNED and legacy and not strict):
        forms = [each for each in found if is_form(each, legacy=legacy)]
        found = [each for each in found if each not in forms]
        if forms:
            yield _form_finding(forms, code, address, side, placed, secrets)
    hidden: set[Difference] = set()
    for difference in found:
        depth = secrets.hidden_at(difference.path)
        shown = difference
        if depth is not None and depth < len(difference.path):
            shown = cut(difference, depth)
            if shown in hidden:
                continue
            hidden.add(shown)
        own = code
        if difference.kind is DifferenceKind.UNKNOWN and code is not Code.OTHER_STATE_PLANNED:
            own = Code.VALUE_LEFT_UNKNOWN
        elif difference.kind is DifferenceKind.TYPE:
            # No provider may return such a value: OpenTofu cannot even read it back.
            own = Code.VALUE_NOT_AS_PLANNED
        elif code is Code.VALUE_NOT_AS_PLANNED and legacy:
            own = Code.TOLERATED_FOR_LEGACY
        detail = _detail(shown, placed.obj.deposed, secrets, hide=depth is not None)
        if own is Code.TOLERATED_FOR_LEGACY and (config := placed.resource.provider_config) is not None:
            detail += f" (the provider {config.provider} uses the legacy plugin SDK)"
        finding = own.finding(_SUMMARIES[own], detail, address, side.pointer(placed, "attributes", *shown.tokens))
        if strict and own is Code.TOLERATED_FOR_LEGACY:
            finding = replace(finding, severity=Severity.ERROR)
        yield finding


def _form_finding(
    forms: list[Difference], code: Code, address: str, side: Side, placed: Placed, secrets: Secrets
) -> Finding:
    depths = [secrets.hidden_at(each.path) for each in forms]
    paths = [each.path if depth is None else each.path[:depth] for each, depth in zip(forms, depths, strict=True)]
    names = list(dict.fromkeys(path_text(path) or "the object" for path in paths))
    number = "1 attribute differs" if len(names) == 1 else f"{len(names)} attributes differ"
    what = "found" if code is Code.CHANGED_WITHOUT_PLAN else "has"
    detail = f"{number} only in form from what the plan {what}: {', '.join(names)}"
    return Code.CHANGED_IN_FORM.finding("Changed only in form", detail, address, side.pointer(placed, "attributes"))


def is_form(difference: Difference, *, legacy: bool) -> bool:
    """Return whether two values have the same meaning: JSON in strings or, for the old SDK, null and empty."""
    planned, actual = difference.planned, difference.actual
    if legacy and all(value is ABSENT or value in _EMPTY for value in (planned, actual)):
        return True
    if not isinstance(planned, str) or not isinstance(actual, str):
        return False
    if not all(text.lstrip().startswith(("{", "[")) for text in (planned, actual)):
        return False
    try:
        one, other = (msgspec.json.encode(msgspec.json.decode(text), order="sorted") for text in (planned, actual))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return one == other


def _detail(difference: Difference, deposed: str, secrets: Secrets, *, hide: bool) -> str:
    """Return a sentence with the planned and the actual value."""
    where = path_text(difference.path) or "the object"
    if deposed:
        where = f"deposed object {deposed}, {where}"
    planned, actual = (shown_value(value, hide=hide) for value in (difference.planned, difference.actual))
    if difference.kind is DifferenceKind.UNKNOWN:
        return f"{where}: to be known after apply, but {'missing' if difference.actual is ABSENT else 'unknown'}"
    if difference.kind is DifferenceKind.TYPE:
        return f"{where}: to be known after apply as {difference.wanted}, but {actual}"
    if difference.kind is DifferenceKind.MISSING:
        return f"{where}: planned {planned}, but missing"
    if difference.kind is DifferenceKind.ADDED:
        return f"{where}: not planned, but {actual}"
    if difference.kind is DifferenceKind.ORDER:
        return f"{where}: planned with its elements in another order"
    before, after = difference.planned, difference.actual
    lengths = [len(side) for side in (before, after) if isinstance(side, list)]
    if len(set(lengths)) == 2 and not secrets.hides_size(difference.path):
        return f"{where}: planned {lengths[0]} elements, {planned}, but {lengths[1]}, {actual}"
    how = " (compared by position: too many blocks to pair by content)" if difference.by_position else ""
    return f"{where}: planned {planned}, but {actual}{how}"


def status_findings(address: str, side: Side, placed: Placed, before: Placed | None = None) -> Iterator[Finding]:
    """Yield a finding if an object is tainted and, if `before` is given, was not tainted before."""
    if placed.obj.status is ObjectStatus.TAINTED and (before is None or before.obj.status is ObjectStatus.READY):
        detail = (
            "The object is tainted: creating it or running its provisioners failed, so the next plan will replace it."
        )
        yield Code.LEFT_TAINTED.finding("Left tainted", detail, address, side.pointer(placed, "status"))


def sensitivity_findings(
    change: Change, address: str, side: Side, placed: Placed, schema: SchemaBlock | None
) -> Iterator[Finding]:
    """Yield a finding for each path that is sensitive only in the plan or only in the state.

    The masks of a plan include values that the schema makes sensitive, which a state need not name: without the
    schema, a path that only the plan names is no finding.
    """
    obj = placed.obj
    mask = mask_of(change.after_sensitive)
    if obj.sensitive_attributes == b"[]" and (mask is False or schema is None):
        return
    in_plan, in_state = list(true_paths(mask)), plain_paths(obj)
    planned, marked, unknown = MarkedPaths(exact=True), MarkedPaths(exact=True), MarkedPaths(exact=True)
    planned.add_mask(mask)
    unknown.add_mask(mask_of(change.after_unknown))
    for path in in_state:
        marked.add(path)
    if schema is not None:
        for path in in_plan:
            if not marked.covers(path) and not is_sensitive(schema, path) and not unknown.overlaps(path):
                yield _sensitivity(path, address, side, placed, "planned as sensitive, but not marked so in the state")
    after = None if change.after is None else decoded(change.after)
    for path in in_state:
        if planned.overlaps(path) or unknown.overlaps(path) or (schema is not None and is_sensitive(schema, path)):
            continue
        if not _is_null(after, path):
            yield _sensitivity(path, address, side, placed, "sensitive in the state, but not planned so")


def _is_null(value: Decoded, path: PathSteps) -> bool:
    """Return whether the plan has no value at a path: masks omit such paths."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return True
    return value is None


def _sensitivity(path: PathSteps, address: str, side: Side, placed: Placed, what: str) -> Finding:
    detail = f"{path_text(path) or 'the object'}: {what}"
    return Code.SENSITIVITY_NOT_AS_PLANNED.finding(
        "Sensitivity not as planned", detail, address, side.pointer(placed, "sensitive_attributes")
    )
