"""Evaluates function calls: converts arguments, handles nulls, unknown values and marks, and runs the function.

Sources: HCL `hclsyntax/expression.go` (FunctionCallExpr), `ext/tryfunc`; go-cty `function/function.go`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from statefmt.golang import quote
from statefmt.hcl.functions import (  # Importing a group registers its functions.
    assumptions as assumptions,
    collections as collections,
    encodings as encodings,
    files as files,
    networks as networks,
    numbers as numbers,
    patterns as patterns,
    strings as strings,
    times as times,
)
from statefmt.hcl.functions.files import OutsideError
from statefmt.hcl.functions.registry import FUNCTIONS, Function, FunctionError, FunctionSurroundings, Parameter
from statefmt.hcl.operations import ConversionError, NoNames, convert
from statefmt.hcl.source import Range
from statefmt.hcl.syntax import Call, Expression, references
from statefmt.hcl.type_constraint import read_type
from statefmt.hcl.value import (
    FALSE,
    TRUE,
    Part,
    Refusal,
    Unknown,
    UnknownKind,
    Value,
    children,
    first_unknown,
    is_sensitive_within,
    marked,
    retyped,
    unmarked,
    unmarked_within,
)
from statefmt.model.cty import BOOL, DYNAMIC, DynamicType, ListType, SetType, TupleType

if TYPE_CHECKING:
    from statefmt.hcl.operations import Evaluator


_CORE: Final = "core::"
# It reads HOME, and needs no surroundings.
_OF_THE_USER: Final = frozenset({"pathexpand"})


def call_function(evaluation: Evaluator, expression: Call) -> Part:
    """Evaluate a call. Raises Refusal."""
    name = expression.name.removeprefix(_CORE)
    directory = evaluation.names.directory
    if directory is None:
        raise Refusal("Function calls not allowed", "Functions may not be called here.", expression.range)
    if name == "try":
        return _try(evaluation, expression)
    if name == "can":
        return _can(evaluation, expression)
    if name == "convert":
        return _convert(evaluation, expression)
    called = FUNCTIONS.get(name)
    if called is None:
        return _unevaluated(name, expression)
    if evaluation.names.is_confined and (called.surroundings or name in _OF_THE_USER):
        reason = f"the function {name} reads files or paths of the user, which a stranger's text must not pass on"
        return Unknown(reason, expression.range, kind=UnknownKind.FUNCTION)
    arguments = _arguments(evaluation, expression)
    if isinstance(arguments, Unknown):
        return retyped(arguments, DYNAMIC)
    _check_count(called, expression, len(arguments))
    return _run(called, expression, evaluation, arguments, directory)


def _unevaluated(name: str, expression: Call) -> Unknown:
    if name in NEVER:
        reason = f"the result of the function {name} is not known in advance: {NEVER[name]}"
        return Unknown(reason, expression.range, kind=UnknownKind.FUNCTION)
    if name in NOT_YET:
        return Unknown(f"statetool does not evaluate the function {name}", expression.range, kind=UnknownKind.FUNCTION)
    if "::" in name:
        return Unknown(
            f"the function {name} belongs to a provider, and statetool does not run providers", expression.range
        )
    raise Refusal("Call to unknown function", f"There is no function named {quote(name)}.", expression.name_range)


def _arguments(evaluation: Evaluator, expression: Call) -> list[tuple[Part, Range]] | Unknown:
    given = expression.arguments
    fixed = given[:-1] if expression.expand else given
    found = [(evaluation.value(argument), argument.range) for argument in fixed]
    if not expression.expand:
        return found
    last = given[-1]
    spread = evaluation.value(last)
    summary = "Invalid expanding argument value"
    if isinstance(spread, Value) and spread.data is None:
        raise Refusal(summary, "The expanding argument (indicated by ...) must not be null.", last.range)
    if not isinstance(spread.type, (TupleType, ListType, SetType, DynamicType)):
        detail = "The expanding argument (indicated by ...) must be of a tuple, list, or set type."
        raise Refusal(summary, detail, last.range)
    if isinstance(spread, Unknown):
        return spread
    return found + [(marked(part, spread.sensitive), last.range) for part in children(spread)]


def _check_count(called: Function, expression: Call, count: int) -> None:
    wanted = len(called.parameters)
    if count < wanted:
        least = " at least" if called.rest is not None else ""
        missing = called.parameters[count].name
        detail = f'Function "{called.name}" expects{least} {wanted} argument(s). Missing value for "{missing}".'
        raise Refusal("Not enough function arguments", detail, expression.range)
    if called.rest is None and count > wanted:
        detail = f'Function "{called.name}" expects only {wanted} argument(s).'
        raise Refusal("Too many function arguments", detail, expression.range)


def _run(
    called: Function, expression: Call, evaluation: Evaluator, arguments: list[tuple[Part, Range]], directory: Path
) -> Part:
    sensitive, unknown = False, None
    parts: list[Part] = []
    for place, (given, where) in enumerate(arguments):
        parameter = _parameter(called, place)
        try:
            part = convert(given, parameter.type)
        except ConversionError as error:
            raise _invalid(parameter, str(error), where) from None
        if isinstance(part, Value) and part.data is None and not parameter.null:
            raise _invalid(parameter, "argument must not be null", where)
        if not called.own_marks:
            sensitive = sensitive or (part.sensitive if parameter.marks else is_sensitive_within(part))
            part = unmarked(part) if parameter.marks else unmarked_within(part)
        if isinstance(part, Unknown):
            if not parameter.unknown:
                unknown = unknown or part
        elif not parameter.parts:
            unknown = unknown or first_unknown((part,))
        parts.append(part)
    if unknown is not None:
        return marked(retyped(unknown, called.returns), sensitive)
    surroundings = FunctionSurroundings(directory, evaluation.elsewhere, evaluation.names.files_within)
    try:
        found = called.run(surroundings, *parts) if called.surroundings else called.run(*parts)
    except OutsideError as error:
        reason = f"{quote(str(error))} is outside of the repository of the configuration"
        found = Unknown(f"{reason}, and --allow-path does not name it", kind=UnknownKind.FUNCTION)
    except (FunctionError, ConversionError) as error:
        at = error.argument if isinstance(error, FunctionError) else None
        if at is not None and at < len(arguments):
            raise _invalid(_parameter(called, at), str(error), arguments[at][1]) from None
        detail = f'Call to function "{called.name}" failed: {error}.'
        raise Refusal("Error in function call", detail, expression.range) from None
    if isinstance(found, Unknown) and found.range is None:
        found = replace(found, range=expression.range)
    return marked(found, sensitive)


def _parameter(called: Function, place: int) -> Parameter:
    found = called.parameters[place] if place < len(called.parameters) else called.rest
    assert found is not None
    return found


def _invalid(parameter: Parameter, detail: str, where: Range) -> Refusal:
    return Refusal("Invalid function argument", f'Invalid value for "{parameter.name}" parameter: {detail}.', where)


def _try(evaluation: Evaluator, expression: Call) -> Part:
    """Return the first argument that OpenTofu would not refuse; Unknown if an earlier one depends on unknown values."""
    if not expression.arguments:
        raise Refusal(
            "Error in function call",
            'Call to function "try" failed: at least one argument is required.',
            expression.range,
        )
    for argument in expression.arguments:
        unknown = _depends_on_unknown(evaluation, argument)
        if unknown is not None:
            return unknown
        try:
            return evaluation.value(argument)
        except Refusal:
            continue
    detail = 'Call to function "try" failed: no expression succeeded.'
    raise Refusal("Error in function call", detail, expression.range)


def _can(evaluation: Evaluator, expression: Call) -> Part:
    if len(expression.arguments) != 1:
        summary = "Not enough function arguments" if not expression.arguments else "Too many function arguments"
        raise Refusal(summary, 'Function "can" expects only 1 argument(s).', expression.range)
    unknown = _depends_on_unknown(evaluation, expression.arguments[0])
    if unknown is not None:
        return retyped(unknown, BOOL)
    try:
        found = evaluation.value(expression.arguments[0])
    except Refusal:
        return FALSE
    return retyped(found, BOOL) if isinstance(found, Unknown) else TRUE


def _convert(evaluation: Evaluator, expression: Call) -> Part:
    """Convert the first argument to the type constraint that the second argument is."""
    if len(expression.arguments) != 2:
        summary = "Not enough function arguments" if len(expression.arguments) < 2 else "Too many function arguments"
        raise Refusal(summary, 'Function "convert" expects only 2 argument(s).', expression.range)
    value, type_ = expression.arguments
    constraint = read_type(type_, lambda default: evaluation.elsewhere(default, NoNames()))
    for problem in constraint.problems:
        raise Refusal(problem.summary, problem.detail, problem.range)
    try:
        return constraint.apply(evaluation.value(value))
    except ConversionError as error:
        raise _invalid(Parameter("value"), str(error), value.range) from None


def _depends_on_unknown(evaluation: Evaluator, argument: Expression) -> Unknown | None:
    """Return the first unknown value that an expression refers to. Refused references are known to fail."""
    for reference in references(argument):
        try:
            unknown = first_unknown((evaluation.value(reference),))
        except Refusal:
            continue
        if unknown is not None:
            return unknown
    return None


# Functions whose results are not known in advance, with the reason.
NEVER: Final = {
    "bcrypt": "it changes with each call",
    "plantimestamp": "it is the time of the plan",
    "timestamp": "it is the time of the run",
    "uuid": "it changes with each call",
}
# Not implemented. A function in the registry is evaluated even if it is listed here.
NOT_YET: Final = frozenset({"base64gzip", "rsadecrypt", "type"})
