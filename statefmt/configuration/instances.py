"""Lists the instances of modules and resources of a configuration, and gives each its scope.

Expands `count`, `for_each` and `enabled`, and finds references that OpenTofu does not allow in a value that it needs
before planning. Results are computed on demand and cached. Sources: OpenTofu `internal/lang/evalchecks`;
`internal/configs/static_scope.go` (StaticValidateReferences, GetInputVariable, enhanceDiagnostics);
`internal/addrs/parse_ref.go` for the range of a reference to report.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import msgspec

from statefmt.configuration._scope import EachValue, Scope, root_scope
from statefmt.configuration.model import Configuration, Local, ModuleCall, ProviderBlock, Repetition, ResourceBlock
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.operations import convert_or_refuse
from statefmt.hcl.source import Problem, ProblemKind, Range, error
from statefmt.hcl.syntax import Argument, AttributeAccess, Body, Expression, IndexAccess, Traversal, calls, references
from statefmt.hcl.value import Part, Refusal, Unknown, UnknownKind, Value, as_unknown, children
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ConfigResource,
    InstanceKey,
    IntKey,
    Module,
    ModuleInstance,
    Resource,
    ResourceMode,
    StringKey,
)
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, STRING, DynamicType, MapType, ObjectType, SetType, type_name
from statefmt.model.cty.number import Number, is_whole


class AbsentInstance(msgspec.Struct, frozen=True):
    """A module or resource instance that the configuration lacks: its key is not in `count` or `for_each`."""


ABSENT: Final = AbsentInstance()


class Instances:
    """The instances of every module and resource of a configuration.

    `without` are keys to remove from every `for_each`, as if the collections had lost these elements. If `is_confined`,
    files and paths of this machine have no value.
    """

    def __init__(
        self, configuration: Configuration, without: Collection[str] = (), *, is_confined: bool = False
    ) -> None:
        self._configuration = configuration
        self._is_confined: Final = is_confined
        self._without: Final = frozenset(map(StringKey, without))
        self._blocks: dict[ConfigResource, ResourceBlock] | None = None
        self._scopes: dict[ModuleInstance, Scope | Unknown | AbsentInstance] = {}
        self._found: dict[AbsResource, dict[InstanceKey, ExpandedInstance] | Unknown] = {}

    @property
    def blocks(self) -> dict[ConfigResource, ResourceBlock]:
        """Every `resource`, `data` and `ephemeral` block by its address, parents before children."""
        if self._blocks is None:
            self._blocks = {
                ConfigResource(path, block.address): block
                for path, module in self._configuration.modules.items()
                for block in module.declarations.resources
            }
        return self._blocks

    def of_provider(self, config: ConfigProviderConfig, block: ProviderBlock) -> Expansion | Unknown:
        """Return the instances of a provider block."""
        expansion = expand_provider(block, self.static_scope(config.module))
        if block.for_each is not None and isinstance(expansion, Expansion):
            refused = next(static_problems(self._configuration, config.module, block.for_each.expression), None)
            if refused is not None:
                return Unknown(f"OpenTofu refuses it: {refused.detail}", refused.range)
        return self._left(expansion)

    def static_scope(self, module: Module) -> Scope:
        """Return the scope common to all instances of a module: without the `each` and `count` of its calls."""
        scope = root_scope(self._configuration, is_confined=self._is_confined)
        for name in module.names:
            scope = scope.child(name)
        return scope

    def _expansion(self, repetition: Repetition, scope: Scope) -> Expansion | Unknown:
        return self._left(expand(repetition, scope))

    def _left(self, expansion: Expansion | Unknown) -> Expansion | Unknown:
        """Return the instances without the keys of `without`."""
        if not self._without or isinstance(expansion, Unknown):
            return expansion
        return Expansion(tuple(each for each in expansion.instances if each.key not in self._without))

    def scope(self, module: ModuleInstance) -> Scope | Unknown | AbsentInstance:
        """Return the scope of one module instance; Absent if the configuration has no such instance."""
        found = self._scopes.get(module)
        if found is None:
            found = self._scopes[module] = self._entered(module)
        return found

    def _entered(self, module: ModuleInstance) -> Scope | Unknown | AbsentInstance:
        if module.is_root:
            return root_scope(self._configuration, is_confined=self._is_confined)
        calling = self.calling(module)
        if isinstance(calling, Unknown | AbsentInstance):
            return calling
        parent, each = calling
        return parent.child(module.steps[-1].name, each)

    def calling(self, module: ModuleInstance) -> tuple[Scope, EachValue | None] | Unknown | AbsentInstance:
        """Return the scope in which a module instance is called, and the value of `each` or `count` in its call."""
        if module.module() not in self._configuration.modules:
            return ABSENT
        expansion = self.of_call(module)
        if isinstance(expansion, Unknown | AbsentInstance):
            return expansion
        parent = self.scope(module.parent())
        assert not isinstance(parent, Unknown | AbsentInstance), "the call was expanded in it"
        key = module.steps[-1].key
        return next(((parent, instance.each) for instance in expansion.instances if instance.key == key), ABSENT)

    def call(self, module: ModuleInstance) -> ModuleCall | None:
        """Return the block that calls a module; None if there is none."""
        caller = self._configuration.modules.get(module.parent().module())
        return None if caller is None else caller.declarations.calls.get(module.steps[-1].name)

    def of_call(self, module: ModuleInstance) -> Expansion | Unknown | AbsentInstance:
        """Return all instances of a module in its parent, whatever the last key of `module`; Absent without a call."""
        parent = self.scope(module.parent())
        if isinstance(parent, Unknown | AbsentInstance):
            return parent
        call = self.call(module)
        return ABSENT if call is None else self._expansion(call.repetition, parent)

    def of_resource(self, resource: AbsResource) -> dict[InstanceKey, ExpandedInstance] | Unknown:
        """Return the instances of a resource in one module instance, by key; empty if that module is absent."""
        found = self._found.get(resource)
        if found is None:
            found = self._found[resource] = self._expanded(resource)
        return found

    def _expanded(self, resource: AbsResource) -> dict[InstanceKey, ExpandedInstance] | Unknown:
        expansion = self.expansion_of(resource)
        if isinstance(expansion, AbsentInstance):
            return {}
        return expansion if isinstance(expansion, Unknown) else {each.key: each for each in expansion.instances}

    def expansion_of(self, resource: AbsResource) -> Expansion | Unknown | AbsentInstance:
        """Return the instances of a resource block in one module instance; Absent if that module is absent."""
        scope = self.scope(resource.module)
        if isinstance(scope, Unknown | AbsentInstance):
            return scope
        first = self._chained(resource)
        if first == resource:
            return self._expansion(self.blocks[resource.config()].repetition, scope)
        keys = self.of_resource(first)
        if isinstance(keys, Unknown):
            return keys
        later = Unknown(f"{first} is known only in a plan or an apply")
        return Expansion(tuple(ExpandedInstance(key, EachValue(key, later)) for key in keys))

    def _chained(self, resource: AbsResource) -> AbsResource:
        """Return the resource whose keys a resource has since its `for_each` is that one, perhaps through others."""
        first = resource
        for _ in range(_DEEPEST):
            repetition = self.blocks[first.config()].repetition
            written = None if repetition.for_each is None else repetition.for_each.expression
            if not isinstance(written, Traversal) or len(written.steps) != 1:
                return first
            step = written.steps[0]
            if not isinstance(step, AttributeAccess):
                return first
            other = AbsResource(first.module, Resource(ResourceMode.MANAGED, written.root, step.name))
            block = self.blocks.get(other.config())
            if block is None or block.repetition.for_each is None:
                return first
            first = other
        # A circle, or more than anybody writes.
        return resource

    def of_module(self, module: Module) -> list[ModuleInstance] | Unknown:
        """Return all instances of a module."""
        if module.is_root:
            return [ModuleInstance()]
        callers = self.of_module(module.parent())
        call = self._configuration.modules[module].call
        if isinstance(callers, Unknown) or call is None:
            return [] if call is None else callers
        found: list[ModuleInstance] = []
        for caller in callers:
            scope = self.scope(caller)
            assert not isinstance(scope, Unknown | AbsentInstance), "it is an instance"
            expansion = self._expansion(call.repetition, scope)
            if isinstance(expansion, Unknown):
                return expansion
            found += (caller.child(module.names[-1], key) for key in expansion.keys)
        return found

    def declared(self, address: AbsResourceInstance) -> tuple[Body, Scope] | None:
        """Return the arguments of a resource instance and the scope to evaluate them in; None if it is not declared.

        If the instances are not known, `each` and `count` have no value in the scope.
        """
        block = self.blocks.get(address.config())
        if block is None or block.body is None:
            return None
        scope = self.scope(address.module)
        if isinstance(scope, AbsentInstance):
            return None
        if isinstance(scope, Unknown):
            return block.body, self.static_scope(address.module.module())
        instances = self.of_resource(address.containing_resource())
        if isinstance(instances, Unknown):
            return block.body, scope
        instance = instances.get(address.key)
        return None if instance is None else (block.body, scope.within(instance.each))

    def all_of(self, resource: ConfigResource) -> list[AbsResourceInstance] | Unknown:
        """Return all instances of a resource block."""
        modules = self.of_module(resource.module)
        if isinstance(modules, Unknown):
            return modules
        found: list[AbsResourceInstance] = []
        for module in modules:
            address = AbsResource(module, resource.resource)
            instances = self.of_resource(address)
            if isinstance(instances, Unknown):
                return instances
            found += map(address.instance, instances)
        return found

    def unlisted(self) -> Iterator[tuple[str, Repetition, Unknown]]:
        """Yield the addresses and repetitions of resources and modules with unknown instances, and the reasons.

        Nothing is said of what is in a module with unknown instances.
        """
        for path, module in self._configuration.modules.items():
            around = self.of_module(path)
            here = [] if isinstance(around, Unknown) else around
            for block in module.declarations.resources:
                expansions = (self.expansion_of(AbsResource(each, block.address)) for each in here)
                if reason := next((one for one in expansions if isinstance(one, Unknown)), None):
                    yield str(ConfigResource(path, block.address)), block.repetition, reason
            for call in module.declarations.calls.values():
                calls_there = (self.of_call(each.child(call.name)) for each in here)
                if reason := next((one for one in calls_there if isinstance(one, Unknown)), None):
                    yield str(path.child(call.name)), call.repetition, reason


_FOR_EACH = "Invalid for_each argument"
_COUNT = "Invalid count argument"
_ENABLED = "Invalid enabled argument"
_UNSUITABLE = 'The given "for_each" argument value is unsuitable: '
# More than any real configuration has, and few enough to list.
_MOST = 1_000_000


class ExpandedInstance(msgspec.Struct, frozen=True):
    """One instance: its key, and the value of `each` or `count` in it (None without repetition)."""

    key: InstanceKey
    each: EachValue | None = None


class Expansion(msgspec.Struct, frozen=True):
    """All instances of a block, in OpenTofu's key order."""

    instances: tuple[ExpandedInstance, ...]

    @property
    def keys(self) -> tuple[InstanceKey, ...]:
        return tuple(instance.key for instance in self.instances)


_SINGLE = Expansion((ExpandedInstance(NO_KEY),))


def expand(repetition: Repetition, scope: Scope) -> Expansion | Unknown:
    """Return the instances of a resource or module call, or the reason why they are unknown.

    A value that OpenTofu refuses (a null, sensitive or non-string key, a list) gives an Unknown with a `problem`.
    """
    try:
        if repetition.for_each is not None:
            return _for_each(repetition.for_each.expression, scope)
        if repetition.count is not None:
            return _count(repetition.count.expression, scope)
        if repetition.enabled is not None:
            return _enabled(repetition.enabled.expression, scope)
    except Refusal as refusal:
        return as_unknown(refusal.problem)
    return _SINGLE


def expand_provider(block: ProviderBlock, scope: Scope) -> Expansion | Unknown:
    """Return the instances of a provider block; one without a key if it has no `for_each`.

    `scope` is static (made by `Scope.child` without `each`): OpenTofu does not know the `each` and `count` of the
    calling modules there.
    """
    return expand(Repetition(for_each=block.for_each), scope)


def _for_each(expression: Expression, scope: Scope) -> Expansion | Unknown:
    value = evaluate(expression, scope)
    of = value.type
    if value.sensitive:
        detail = (
            "Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments. "
            "If used, the sensitive value could be exposed as a resource instance key."
        )
        raise Refusal(_FOR_EACH, detail, expression.range)
    _refuse_ephemeral(value, "for_each", expression.range)
    if isinstance(value, Value) and value.data is None:
        raise Refusal(_FOR_EACH, f'{_UNSUITABLE}the given "for_each" argument value is null.', expression.range)
    if not isinstance(of, (MapType, ObjectType, SetType, DynamicType)):
        detail = (
            f'{_UNSUITABLE}the "for_each" argument must be a map, or set of strings, '
            f"and you have provided a value of type {type_name(of)}."
        )
        raise Refusal(_FOR_EACH, detail, expression.range)
    if isinstance(of, SetType) and of.element not in (STRING, DYNAMIC):
        detail = (
            f'{_UNSUITABLE}"for_each" supports sets of strings, '
            f"but you have provided a set containing type {type_name(of.element)}."
        )
        raise Refusal(_FOR_EACH, detail, expression.range)
    if isinstance(value, Unknown):
        return value
    if isinstance(value.data, Mapping):
        return Expansion(tuple(_instance(name, part) for name, part in value.data.items()))
    keys: list[str] = []
    for item in children(value):
        if isinstance(item, Value) and item.data is None:
            raise Refusal(_FOR_EACH, f'{_UNSUITABLE}"for_each" sets must not contain null values.', expression.range)
        assert isinstance(item, Value)
        keys.append(str(item.data))
    return Expansion(tuple(_instance(key, Value(STRING, key)) for key in keys))


def _instance(name: str, part: Part) -> ExpandedInstance:
    key = StringKey(name)
    return ExpandedInstance(key, EachValue(key, part))


def _count(expression: Expression, scope: Scope) -> Expansion | Unknown:
    value = evaluate(expression, scope)
    if value.sensitive:
        detail = "Sensitive values, or values derived from sensitive values, cannot be used as count arguments."
        raise Refusal(_COUNT, detail, expression.range)
    _refuse_ephemeral(value, "count", expression.range)
    detail = 'The given "count" argument value is unsuitable'
    value = convert_or_refuse(value, NUMBER, _COUNT, detail, expression.range)
    if isinstance(value, Unknown):
        return value
    if value.data is None:
        raise Refusal(_COUNT, 'The given "count" argument value is null. An integer is required.', expression.range)
    assert isinstance(value.data, Number)
    if not is_whole(value.data):
        raise Refusal(
            _COUNT, 'The given "count" argument value is unsuitable: a whole number is required.', expression.range
        )
    if value.data.negative and value.data.mantissa:
        detail = 'The given "count" argument value is unsuitable: must be greater than or equal to zero.'
        raise Refusal(_COUNT, detail, expression.range)
    count = value.data.small_integer() or 0
    if count > _MOST:
        return Unknown(f"a count of {count:,} is more than statetool supports", expression.range)
    return Expansion(tuple(ExpandedInstance(IntKey(at), EachValue(IntKey(at))) for at in range(count)))


def _refuse_ephemeral(value: Part, name: str, place: Range) -> None:
    if isinstance(value, Unknown) and value.kind is UnknownKind.EPHEMERAL:
        detail = (
            f"Ephemeral values, or values derived from ephemeral values, cannot be used as {name} arguments. "
            "If used, the ephemeral value could be exposed as a resource instance key."
        )
        raise Refusal(f"Invalid {name} argument", detail, place)


def _enabled(expression: Expression, scope: Scope) -> Expansion | Unknown:
    detail = 'The given "enabled" argument value is unsuitable'
    value = convert_or_refuse(evaluate(expression, scope), BOOL, _ENABLED, detail, expression.range)
    if value.sensitive:
        detail = "Sensitive values cannot be used as enabled arguments."
        raise Refusal(_ENABLED, detail, expression.range)
    if isinstance(value, Unknown):
        return value
    if value.data is None:
        raise Refusal(_ENABLED, 'The given "enabled" argument value is null.', expression.range)
    return _SINGLE if value.data else Expansion(())


_STATIC = frozenset({"var", "local", "path", "terraform", "tofu"})
# The number of steps after the first word that name the object.
_STEPS = {"data": 2, "ephemeral": 2, "module": 1, "each": 1, "count": 1, "self": 0}
# Longer chains of references are cut off.
_DEEPEST = 100


def static_problems(configuration: Configuration, module: Module, expression: Expression) -> Iterator[Problem]:
    """Yield each reference in an expression, and in the names it uses, whose value only a plan determines."""
    seen: set[tuple[Module, str]] = set()

    def problems(module: Module, expression: Expression, place: Range, depth: int) -> Iterator[Problem]:
        # `place` covers the whole argument or local value.
        declared, call = configuration.modules[module].declarations, configuration.modules[module].call
        spoilt: list[str] = []
        for called in calls(expression):
            if called.name.startswith("provider::"):
                detail = f"{called.name} is a function of a provider, which is configured only in a plan."
                where = called.name_range
                yield error(ProblemKind.EVALUATION, "Provider function in static context", detail, where)
        for reference in references(expression):
            if reference.root not in _STATIC:
                yield _dynamic_value(reference)
                continue
            first = reference.steps[0] if reference.steps else None
            if not isinstance(first, AttributeAccess):
                continue
            if reference.root in ("terraform", "tofu") and first.name == "applying":
                detail = "terraform.applying differs between plan and apply."
                yield error(
                    ProblemKind.EVALUATION, "Invalid attribute in static context", detail, _object_range(reference)
                )
            if reference.root not in ("var", "local"):
                continue
            name = f"{reference.root}.{first.name}"
            if (module, name) in seen:
                continue
            seen.add((module, name))
            variable = declared.variables.get(first.name)
            if reference.root == "var" and variable is not None and variable.const is False:
                detail = f'The variable "{first.name}" has `const = false`: its value may be known only in a plan.'
                where = reference.root_range.to(first.range)
                yield error(ProblemKind.EVALUATION, "Unable to use variable in static context", detail, where)
                continue
            # The local value, or the argument that the caller gives for the variable.
            used: Local | Argument | None = None
            if reference.root == "local":
                used, user = declared.locals.get(first.name), module
            elif call is not None:
                used, user = call.arguments.get(first.name), module.parent()
            if used is not None and depth < _DEEPEST:
                found = list(problems(user, used.expression, used.range, depth + 1))
                yield from found
                if found:
                    spoilt.append(name)
        if spoilt:
            detail = f"This depends on {', '.join(spoilt)}, which cannot be known before a plan."
            yield error(ProblemKind.EVALUATION, "Unable to compute static value", detail, place)

    yield from problems(module, expression, expression.range, 0)


def _dynamic_value(reference: Traversal) -> Problem:
    output = reference.root == "module" and len(reference.steps) > 1
    summary = "Module output not supported in static context" if output else "Dynamic value in static context"
    names = [
        step.name
        for step in reference.steps[: _STEPS.get(reference.root, 1) + output]
        if isinstance(step, AttributeAccess)
    ]
    detail = (
        f"{'.'.join([reference.root, *names])} is known only in a plan. Use only variables, "
        "local values and functions here."
    )
    return error(ProblemKind.EVALUATION, summary, detail, _object_range(reference))


def _object_range(reference: Traversal) -> Range:
    """Return the part of a reference that names an object: `aws_vpc.main[0]` of `aws_vpc.main[0].id`."""
    steps = reference.steps
    count = _STEPS.get(reference.root, 1)
    if reference.root not in ("each", "count", "self") and len(steps) > count and isinstance(steps[count], IndexAccess):
        count += 1
    if reference.root == "module" and len(steps) > count:
        count += 1
    return reference.root_range.to(steps[min(count, len(steps)) - 1].range) if steps and count else reference.root_range
