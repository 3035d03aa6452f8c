"""Verifies a plan before its apply: compares planned objects with the configuration and the prior objects.

Source: OpenTofu `docs/resource-instance-change-lifecycle.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.configuration.instances import Instances
from statefmt.golang import quote
from statefmt.lifecycle.configured import (
    EXTRA_ELEMENT,
    MISSING_ELEMENT,
    ArgumentReader,
    ConfiguredObject,
    configured_object,
)
from statefmt.lifecycle.legacy_sdk import has_legacy_schema, is_legacy
from statefmt.lifecycle.plan import Action, Change, PlanError, PlannedChange, ShownPlan, has_true
from statefmt.lifecycle.plan_valid import FoundProblem, plan_problems, problem
from statefmt.lifecycle.schema import ProviderSchemas, SchemaBlock
from statefmt.lifecycle.verification._difference import (
    Decoded,
    Difference,
    DifferenceKind,
    PathSteps,
    converted,
    decoded,
    is_number,
    mask_of,
    number,
)
from statefmt.lifecycle.verification._objects import Expectations, Side, is_form, pointer
from statefmt.lifecycle.verification._secrets import MarkedPaths, Secrets, shown_value
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    element_type,
    member_type,
    type_name,
)
from statefmt.model.cty.data import CtyValue, Data, GetAttr, MarkedData, Path, PathIndex, UnknownData, make_set
from statefmt.model.cty.number import Number, from_int
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import Snapshot
from statefmt.redaction.object_value import sounds_secret
from statefmt.redaction.partial import path_text
from statefmt.text import pattern

_SUMMARY: Final = "Provider produced invalid plan"
_CHANGED: Final = "planned value %#v differs from prior value %#v, although the planned action is no-op"
_WRONG_TYPE: Final = "planned value %#v is not of the type %s"
_VERB: Final = pattern(r"%#v|%[dqs]")
# The old SDK plans these where the configuration has null.
_ZERO_VALUES: Final[tuple[object, ...]] = ("", False, from_int(0), [], {})


def planned_findings(
    plan: ShownPlan, instances: Instances, schemas: ProviderSchemas | None, snapshot: Snapshot | None
) -> Iterator[Finding]:
    """Yield a finding for each planned value that neither the configuration nor the prior object allows.

    Args:
        plan: The plan.
        instances: The instances of its configuration.
        schemas: The schemas of the providers; without them, only built-in types are compared.
        snapshot: The state that the plan was made for, which identifies objects of the old SDK; None if not known.

    OpenTofu tolerates such values from providers of the old SDK: then there is one finding for each object. Objects
    that the configuration does not declare, and values that it does not determine without a plan, are not compared.
    Raises SchemaError if a schema cannot be read, and PlanError if a value is nested too deeply to be compared.
    """
    expected, side, reader = Expectations(plan, schemas), Side(snapshot), ArgumentReader()
    for change in plan.resource_changes:
        if change.deposed or not change.action.leaves_object:
            continue
        declared = instances.declared(change.address)
        schema, _ = expected.schema(change.provider_name, change.address.resource.resource)
        if declared is None or schema is None:
            continue
        try:
            found = _Planned(change, schema, reader.value_type(schema))
            found.compare(configured_object(reader, schema, *declared, found.planned, found.prior, found.ignorable))
        except (CtyValueError, RecursionError):
            where = f"/resource_changes/{change.number}/change"
            raise PlanError("a value is nested too deeply to be compared with the configuration", where) from None
        if found.problems:
            placed = side.objects.get((change.address_before, ""))
            legacy = has_legacy_schema(schema) if placed is None else is_legacy(placed.obj.private)
            yield from found.findings(legacy=legacy)


class _Planned:
    """One planned object, the objects to compare it with, and the problems."""

    def __init__(self, change: PlannedChange, schema: SchemaBlock, of: ObjectType) -> None:
        self._change = change
        self._schema = schema
        self._type = of
        details = change.change
        self.problems: list[FoundProblem] = []
        before = _data(_json(details.before), False, of, (), [])
        self.planned = _data(_json(details.after), mask_of(details.after_unknown), of, (), self.problems)
        self.prior = None if change.action.replaces else before
        # OpenTofu applies `ignore_changes` to objects that are replaced, Terraform does not; neither if tainted.
        tainted = change.reason == "replace_because_tainted"
        self.ignorable = before if not change.action.replaces else None if tainted else self.planned
        self._config: ConfiguredObject | None = None
        # The attributes that differ from the prior object, although the plan says that it does not change.
        self._changes: set[Path] = set()

    def compare(self, config: ConfiguredObject | None) -> None:
        """Collect the problems; `config` is None if the configuration allows any object."""
        self._config = config
        wrong = [each.path for each in self.problems]
        if config is not None:
            values = (CtyValue(self._type, data) for data in (self.prior, config.data, self.planned))
            for each in (*plan_problems(self._schema, *values), *config.problems):
                if not any(each.path[: len(path)] == path[: len(each.path)] for path in wrong):
                    self.problems.append(each)
        if self._change.action is Action.NO_OP:
            known = {each.path[:1] for each in self.problems}
            changed = list(self._changed())
            self._changes = {each.path for each in changed}
            self.problems += (each for each in changed if each.path not in known)

    def _changed(self) -> Iterator[FoundProblem]:
        """Yield the attributes that change, although the plan does not change the object."""
        for name, of in self._type.attributes.items():
            after, before = (data.get(name) if isinstance(data, dict) else None for data in (self.planned, self.prior))
            if after != before:
                yield problem((GetAttr(name),), _CHANGED, CtyValue(of, after), CtyValue(of, before))

    def findings(self, *, legacy: bool) -> Iterator[Finding]:
        """Yield a finding for each problem, or one for all that OpenTofu tolerates in `legacy` objects."""
        hidden: set[PathSteps] = set()
        tolerated: list[str] = []
        for each, (place, hide) in zip(self.problems, self._places(), strict=True):
            where = path_text(place) or "the object"
            if legacy and each.template is not _WRONG_TYPE and each.path[:1] not in self._changes:
                if not _is_only_form(each):
                    tolerated.append(where)
            elif place not in hidden:
                # Problems inside a hidden value make one.
                hidden.update([place] if hide else ())
                yield Code.INVALID_PLAN.finding(
                    _SUMMARY,
                    f"{where}: {_message(each, hide=hide)}",
                    str(self._change.address),
                    self._pointer(place),
                    "If the configuration or its variables changed after the plan was made, make a new plan. Otherwise "
                    f"report the problem to the maintainers of the provider {self._change.provider_name}.",
                )
        if tolerated:
            yield Code.INVALID_PLAN_TOLERATED.finding(
                f"{_SUMMARY}, tolerated for an old provider",
                f"The provider {self._change.provider_name} uses the legacy plugin SDK, and planned other values than "
                f"the configuration and the prior object have: {', '.join(dict.fromkeys(tolerated))}.",
                str(self._change.address),
                self._pointer(()),
            )

    def _pointer(self, place: PathSteps) -> str:
        return pointer(("resource_changes", self._change.number, "change", "after", *place))

    def _places(self) -> Iterator[tuple[PathSteps, bool]]:
        """Yield the path of each problem that may be shown, and whether its values are hidden."""
        config, changes, marked = self._config, [self._change.change], MarkedPaths()
        if config is not None:
            text = msgspec.json.encode(_decoded(config.data), enc_hook=str)
            changes.append(Change(action=Action.NO_OP, after=Raw(text)))
            for path in config.sensitive:
                marked.add(_steps(path))
        type_name = self._change.address.resource.resource.type
        secrets = Secrets(type_name, changes, (), self._schema, show=False)
        for each in self.problems:
            steps = _steps(each.path)
            depths = [secrets.hidden_at(steps), marked.depth(steps)]
            depths += [at + 1 for at, step in enumerate(steps) if isinstance(step, str) and sounds_secret(step)]
            depth = min((found for found in depths if found is not None), default=None)
            yield steps[:depth], depth is not None


def _steps(path: Path) -> PathSteps:
    """Return the names and positions of a path, up to an element of a set."""
    keys = [step.name if isinstance(step, GetAttr) else step.key for step in path]
    return tuple(takewhile(lambda key: not isinstance(key, CtyValue), keys))  # type: ignore[arg-type]


def _message(found: FoundProblem, *, hide: bool) -> str:
    """Return OpenTofu's message, with values as JSON."""
    rest = iter(found.values)

    def text(verb: str) -> str:
        value = next(rest)
        if isinstance(value, CtyValue):
            is_unknown = isinstance(value.data, UnknownData)
            return "(known after apply)" if is_unknown else shown_value(_decoded(value.data), hide=hide)
        return quote(value) if verb == "%q" and isinstance(value, str) else str(value)

    return _VERB.sub(lambda match: text(match[0]), found.template)


def _is_only_form(found: FoundProblem) -> bool:
    """Return whether the old SDK does not tell a planned value from the configured or prior one."""
    if found.template in (EXTRA_ELEMENT, MISSING_ELEMENT):
        # Elements of sets have such values, too, and OpenTofu does not compare them.
        return True
    planned, *others = [_decoded(value.data) for value in found.values if isinstance(value, CtyValue)] or [True]
    return any(_same_meaning(planned, other) for other in others or [None])


def _same_meaning(planned: Decoded, other: Decoded) -> bool:
    if isinstance(planned, dict) and isinstance(other, dict):
        return all(_same_meaning(planned.get(name), other.get(name)) for name in planned.keys() | other.keys())
    if isinstance(planned, list) and isinstance(other, list) and len(planned) == len(other):
        return all(map(_same_meaning, planned, other))
    if planned == other or (other is None and planned in _ZERO_VALUES):
        return True
    return is_form(Difference(DifferenceKind.VALUE, (), (), planned, other), legacy=True)


def _json(raw: Raw | None) -> Decoded:
    return None if raw is None else decoded(raw)


def _decoded(data: Data) -> Decoded:
    """Return data as it is in JSON."""
    if isinstance(data, MarkedData):
        return _decoded(data.data)
    if isinstance(data, tuple):
        return [_decoded(item) for item in data]
    if isinstance(data, dict):
        return {name: _decoded(item) for name, item in data.items()}
    return "(known after apply)" if isinstance(data, UnknownData) else data


def _data(value: Decoded, unknown: Decoded, of: Type, path: Path, wrong: list[FoundProblem]) -> Data:
    """Return the data of a value of a plan; parts that do not have their type are null, and added to `wrong`."""
    if unknown is True:
        return UnknownData()
    masks = unknown if isinstance(unknown, dict | list) and has_true(unknown) else ()
    if value is None and isinstance(masks, dict):
        # A plan leaves out the unknown members of objects.
        value = {}
    value = converted(value, of)
    match of, value:
        case _, None:
            return None
        case MapType() | ObjectType() | DynamicType(), dict():
            hidden = masks if isinstance(masks, dict) else {}
            is_object = isinstance(of, ObjectType)
            added = () if is_object else (name for name in hidden if name not in value and has_true(hidden[name]))
            return {
                name: _data(
                    value.get(name),
                    hidden.get(name),
                    member_type(of, name),
                    (*path, GetAttr(name) if is_object else PathIndex(name)),
                    wrong,
                )
                for name in (of.attributes if isinstance(of, ObjectType) else (*value, *added))
            }
        case ListType() | SetType() | TupleType() | DynamicType(), list():
            parts = masks if isinstance(masks, list) else []
            # The positions in a set change.
            below = (path if isinstance(of, SetType) else (*path, PathIndex(at)) for at in range(len(value)))
            items = [
                _data(item, parts[at] if at < len(parts) else None, element_type(of, at), inner, wrong)
                for (at, item), inner in zip(enumerate(value), below, strict=True)
            ]
            return make_set(of.element, items) if isinstance(of, SetType) else tuple(items)
        case _ if of == NUMBER and is_number(value):
            return number(value)
        case _ if (of == BOOL and isinstance(value, bool)) or (of == STRING and isinstance(value, str)):
            return value
        case DynamicType(), bool() | str() | int() | Number():
            return number(value) if is_number(value) else value  # type: ignore[return-value]
    wrong.append(problem(path, _WRONG_TYPE, CtyValue(DYNAMIC, _data(value, False, DYNAMIC, (), [])), type_name(of)))
    return None
