"""Expands the `count`, `for_each` or `enabled` of a block into its instances.

Sources: OpenTofu `internal/lang/evalchecks/eval_for_each.go`, `eval_count.go`, `eval_enabled.go`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from statefmt.configuration.model import ProviderBlock, Repetition
from statefmt.configuration.scopes.scope import EachValue, Scope
from statefmt.hcl.expressions.evaluate import evaluate
from statefmt.hcl.source.problem import ProblemKind, error
from statefmt.hcl.syntax.expressions import Expression
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.construct import children
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.hcl.values.refusal import as_unknown
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, STRING, MapType, Number, ObjectType, SetType
from statefmt.model.cty.arithmetic import is_whole
from statefmt.model.cty.type_names import type_name
from statefmt.model.cty.types import DynamicType

_FOR_EACH = "Invalid for_each argument"
_COUNT = "Invalid count argument"
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
    if repetition.for_each is not None:
        return _for_each(repetition.for_each.expression, scope)
    if repetition.count is not None:
        return _count(repetition.count.expression, scope)
    if repetition.enabled is not None:
        return _enabled(repetition.enabled.expression, scope)
    return _SINGLE


def expand_provider(block: ProviderBlock, scope: Scope) -> Expansion | Unknown:
    """Return the instances of a provider block; one without a key if it has no `for_each`.

    `scope` is static (made by `Scope.child` without `each`): OpenTofu does not know the `each` and `count` of the
    calling modules there.
    """
    if block.for_each is None:
        return _SINGLE
    return _for_each(block.for_each.expression, scope)


def _refused(summary: str, detail: str, expression: Expression) -> Unknown:
    return as_unknown(error(ProblemKind.EVALUATION, summary, detail, expression.range))


def _for_each(expression: Expression, scope: Scope) -> Expansion | Unknown:
    value = evaluate(expression, scope)
    of = value.type
    if value.sensitive:
        detail = (
            "Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments. "
            "If used, the sensitive value could be exposed as a resource instance key."
        )
        return _refused(_FOR_EACH, detail, expression)
    if isinstance(value, Value) and value.data is None:
        return _refused(_FOR_EACH, f'{_UNSUITABLE}the given "for_each" argument value is null.', expression)
    if not isinstance(of, (MapType, ObjectType, SetType, DynamicType)):
        detail = (
            f'{_UNSUITABLE}the "for_each" argument must be a map, or set of strings, '
            f"and you have provided a value of type {type_name(of)}."
        )
        return _refused(_FOR_EACH, detail, expression)
    if isinstance(of, SetType) and of.element not in (STRING, DYNAMIC):
        detail = (
            f'{_UNSUITABLE}"for_each" supports sets of strings, '
            f"but you have provided a set containing type {type_name(of.element)}."
        )
        return _refused(_FOR_EACH, detail, expression)
    if isinstance(value, Unknown):
        return value
    if isinstance(value.data, Mapping):
        return Expansion(tuple(_instance(name, part) for name, part in value.data.items()))
    keys: list[str] = []
    for item in children(value):
        if isinstance(item, Value) and item.data is None:
            return _refused(_FOR_EACH, f'{_UNSUITABLE}"for_each" sets must not contain null values.', expression)
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
        return _refused(_COUNT, detail, expression)
    try:
        value = convert(value, NUMBER)
    except ConversionError as failure:
        return _refused(_COUNT, f'The given "count" argument value is unsuitable: {failure}.', expression)
    if isinstance(value, Unknown):
        return value
    if value.data is None:
        return _refused(_COUNT, 'The given "count" argument value is null. An integer is required.', expression)
    assert isinstance(value.data, Number)
    if not is_whole(value.data):
        return _refused(
            _COUNT, 'The given "count" argument value is unsuitable: a whole number is required.', expression
        )
    if value.data.negative and value.data.mantissa:
        detail = 'The given "count" argument value is unsuitable: must be greater than or equal to zero.'
        return _refused(_COUNT, detail, expression)
    count = value.data.small_integer() or 0
    if count > _MOST:
        return Unknown(f"a count of {count:,} is more than statetool supports", expression.range)
    return Expansion(tuple(ExpandedInstance(IntKey(at), EachValue(IntKey(at))) for at in range(count)))


def _enabled(expression: Expression, scope: Scope) -> Expansion | Unknown:
    value = evaluate(expression, scope)
    try:
        value = convert(value, BOOL)
    except ConversionError as failure:
        detail = f'The given "enabled" argument value is unsuitable: {failure}.'
        return _refused("Invalid enabled argument", detail, expression)
    if value.sensitive:
        detail = "Sensitive values cannot be used as enabled arguments."
        return _refused("Invalid enabled argument", detail, expression)
    if isinstance(value, Unknown):
        return value
    if value.data is None:
        return _refused("Invalid enabled argument", 'The given "enabled" argument value is null.', expression)
    return _SINGLE if value.data else Expansion(())
