"""Takes objects apart, also where OpenTofu would crash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from statefmt.golang import quote
from statefmt.lifecycle.stored import ValueProblem, formatted_path
from statefmt.model.cty import DynamicType, ObjectType, TupleType
from statefmt.model.cty.data import CtyValue, Path, UnknownData
from statefmt.model.cty.parts import attribute, elements, is_null, unknown
from statefmt.text import pattern
from tests.lifecycle.opentofu.go_notation import go_notation
from tests.lifecycle.opentofu.parts import marks_deep, null


def member(value: CtyValue, name: str) -> CtyValue:
    """Return an attribute of an object, with the marks of the object, too. Those of null are null.

    Raises CtyValueError if the value has no such attribute.
    """
    of, data = value.type, value.data
    if isinstance(data, dict) and isinstance(of, ObjectType) and name in data:
        return CtyValue(of.attributes[name], data[name])
    if is_null(value) and isinstance(of, DynamicType):
        return null(of)
    if is_null(value) and isinstance(of, ObjectType) and name in of.attributes:
        return null(of.attributes[name])
    return attribute(value, name)


def parts_by_key(value: CtyValue) -> Mapping[str | int, CtyValue]:
    """Return the parts of a list, tuple, map or object by index or name; those of null are none.

    The parts of an unknown tuple or object are unknown. Raises CtyValueError for other values.
    """
    if is_null(value):
        return {}
    of = value.type
    if isinstance(value.data, UnknownData):
        if isinstance(of, TupleType):
            return {index: unknown(each) for index, each in enumerate(of.elements)}
        if isinstance(of, ObjectType):
            return {name: unknown(each) for name, each in of.attributes.items()}
        return {}
    return {key: part for key, part in elements(value) if not isinstance(key, CtyValue)}


def attributes_by_name(value: CtyValue) -> Mapping[str | int, CtyValue]:
    """Return the attributes that the type of a value has; those of null are null. Other values have none."""
    names = value.type.attributes if isinstance(value.type, ObjectType) else ()
    return {name: member(value, name) for name in names}


def problem_text(problem: ValueProblem) -> str:
    """Return path and message: `.network[0].name: was cty.StringVal("a"), but now null`. It may show values.

    Source: OpenTofu `tfdiags.FormatError`.
    """
    return f"{formatted_path(problem.path)}: {problem.message}" if problem.path else problem.message


_VERB = pattern(r"%#v|%[dqs]")


class FoundProblem(NamedTuple):
    """A problem whose message is not yet written: comparing sets finds many that are not reported.

    `template` is one of Go's `fmt`: `%#v` takes a value, `%q` and `%s` a text, `%d` a number.
    """

    path: Path
    template: str
    values: tuple[CtyValue | str | int, ...]


Problems: TypeAlias = Iterator[FoundProblem]


def problem(path: Path, template: str, *values: CtyValue | str | int) -> FoundProblem:
    """Make a problem of a template and what goes into it."""
    return FoundProblem(path, template, values)


def reported(problems: Problems) -> tuple[ValueProblem, ...]:
    """Write the messages. Values with a part that is marked as sensitive are hidden, where OpenTofu shows marks."""
    return tuple(ValueProblem(each.path, each.template, _message(each)) for each in problems)


def _message(found: FoundProblem) -> str:
    rest = iter(found.values)

    def text(verb: str) -> str:
        value = next(rest)
        if isinstance(value, CtyValue):
            return "(sensitive value)" if "sensitive" in marks_deep(value) else go_notation(value)
        return quote(value) if verb == "%q" and isinstance(value, str) else str(value)

    return _VERB.sub(lambda match: text(match[0]), found.template)
