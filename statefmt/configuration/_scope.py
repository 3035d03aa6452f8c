"""Resolves the names that an expression in a module can use: variables, local values, paths, `each` and `count`.

The values of variables come from the inputs of the module or their defaults, converted to their types. Sources:
OpenTofu `internal/configs/static_scope.go`, `internal/tofu/evaluate.go`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from statefmt.configuration.model import Configuration, InputValue, ModuleCall, ModuleConfiguration, Variable
from statefmt.golang import quote
from statefmt.hcl.evaluate import evaluate, evaluate_literal
from statefmt.hcl.operations import ConversionError
from statefmt.hcl.source import ProblemKind, Range, SourceText, error
from statefmt.hcl.syntax import Access, AttributeAccess, Traversal
from statefmt.hcl.syntax.native import read_expression
from statefmt.hcl.type_constraint import TypeConstraint, read_variable_type
from statefmt.hcl.value import Part, Unknown, UnknownKind, Value, as_unknown, marked, number, text
from statefmt.model import addrs
from statefmt.model.addrs import InstanceKey, IntKey, StringKey
from statefmt.model.cty import PrimitiveType


class EachValue(msgspec.Struct, frozen=True):
    """The values of `each.key` and `each.value`, or of `count.index`, in one instance."""

    key: InstanceKey
    value: Part | None = None  # None for `count`


class _Values:
    """The values of one module, or of one instance of it, each computed once."""

    def __init__(
        self, configuration: Configuration, module: addrs.Module, caller: Scope | None, *, is_confined: bool
    ) -> None:
        self.configuration = configuration
        self.module = configuration.modules[module]
        self.caller = caller
        self.is_confined = is_confined
        self.found: dict[str, Part] = {}
        self.under_way: list[str] = []


class Scope:
    """The names visible in one module instance or, statically, in one module. Values are computed once."""

    __slots__ = ("_each", "_values")

    def __init__(self, values: _Values, each: EachValue | None = None) -> None:
        self._values = values
        self._each = each

    @property
    def module(self) -> ModuleConfiguration:
        return self._values.module

    @property
    def configuration(self) -> Configuration:
        """The configuration with all modules."""
        return self._values.configuration

    @property
    def directory(self) -> Path:
        """The directory of the root module, against which functions resolve relative paths."""
        return Path(self._values.configuration.directory)

    @property
    def files_within(self) -> tuple[str, ...] | None:
        """The folders whose files functions may read; None for all files."""
        return self._values.configuration.files_within

    @property
    def is_confined(self) -> bool:
        """Whether user data, such as files and the current folder, have no value in this scope."""
        return self._values.is_confined

    def child(self, call: str, each: EachValue | None = None) -> Scope:
        """Return the scope inside a module called from this scope by name, in the instance of `each`.

        Without `each`, `each` and `count` are Unknown in the arguments of the call, as in OpenTofu's static
        evaluation. Raises KeyError if the module is not in the configuration.
        """
        path, caller = self.module.path.child(call), self.within(each)
        return Scope(_Values(self._values.configuration, path, caller, is_confined=self.is_confined))

    def within(self, each: EachValue | None) -> Scope:
        """Return the same scope with the `each` or `count` of one instance of a resource or module call."""
        return self if each is self._each else Scope(self._values, each)

    def variable(self, name: str) -> Part:
        """Return the value of `var.name`; an Unknown with a problem if the variable is not declared."""
        return self._once(f"var.{name}", None)

    def local(self, name: str) -> Part:
        """Return the value of `local.name`; an Unknown with a problem if it does not exist or refers to itself."""
        return self._once(f"local.{name}", None)

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """Return the value of the name that a reference begins with, and the remaining steps into it."""
        steps = reference.steps
        name = steps[0].name if steps and isinstance(steps[0], AttributeAccess) else None
        if reference.root not in ("var", "local", "path", "terraform", "tofu", "each", "count"):
            return _known_later(reference), ()
        if name is None:
            detail = (
                f'The "{reference.root}" object cannot be accessed directly. Instead, access one of its attributes.'
            )
            return as_unknown(error(ProblemKind.EVALUATION, "Invalid reference", detail, reference.range)), ()
        place = reference.root_range.to(steps[0].range)
        match reference.root:
            case "var" | "local":
                return self._once(f"{reference.root}.{name}", place), steps[1:]
            case "path":
                return self._path(name, place), steps[1:]
            case "each" | "count":
                return self._repetition(reference.root, name, place), steps[1:]
            case _:
                return self._workspace(name, place), steps[1:]

    def _once(self, name: str, place: Range | None) -> Part:
        values = self._values
        found = values.found.get(name)
        if found is None:
            if name in values.under_way:
                return self._circle(name)
            values.under_way.append(name)
            try:
                kind, bare = name.split(".", 1)
                found = self._local(bare, place) if kind == "local" else self._variable(bare, place)
            finally:
                values.under_way.pop()
            if isinstance(found, Unknown) and found.problem is not None and found.range is None:
                return found
            values.found[name] = found
        return found

    def _circle(self, name: str) -> Unknown:
        chain = [*self._values.under_way[self._values.under_way.index(name) :], name]
        local = self.module.declarations.locals.get(name.removeprefix("local."))
        detail = f"{name} is self referential: {' → '.join(chain)}."
        return as_unknown(error(ProblemKind.EVALUATION, "Circular reference", detail, local.range if local else None))

    def _local(self, name: str, place: Range | None) -> Part:
        local = self.module.declarations.locals.get(name)
        if local is None and self.module.declarations.incomplete:
            return _unread(f"local.{name}", place, UnknownKind.LOCAL)
        if local is None:
            detail = f"A local value with the name {quote(name)} has not been declared."
            return as_unknown(error(ProblemKind.EVALUATION, "Reference to undeclared local value", detail, place))
        return evaluate(local.expression, self.within(None))

    def _variable(self, name: str, place: Range | None) -> Part:
        values = self._values
        variable = self.module.declarations.variables.get(name)
        if variable is None and self.module.declarations.incomplete:
            return _unread(f"var.{name}", place, UnknownKind.VARIABLE)
        if variable is None:
            detail = f"An input variable with the name {quote(name)} has not been declared."
            return as_unknown(error(ProblemKind.EVALUATION, "Reference to undeclared input variable", detail, place))
        given: Part | None
        if values.caller is None:
            given = root_value(variable, values.configuration.inputs.get(name))
        else:
            call = self.module.call
            argument = None if call is None else call.arguments.get(name)
            given = None if argument is None else evaluate(argument.expression, values.caller)
        if given is None and variable.default is None:
            return missing(variable, self.module.call, for_program=values.configuration.for_program)
        return finished(variable, given)

    def _path(self, name: str, place: Range) -> Part:
        match name:
            case "module":
                return text(self.module.declarations.directory)
            case "root":
                return text(".")
            case "cwd" if self.is_confined:
                reason = "path.cwd is a path of the user, which a stranger's text must not pass on"
                return Unknown(reason, place, kind=UnknownKind.FUNCTION)
            case "cwd":
                return text(self.directory.absolute().as_posix())
            case _:
                detail = f'The "path" object does not have an attribute named {quote(name)}.'
                return as_unknown(error(ProblemKind.EVALUATION, 'Invalid "path" attribute', detail, place))

    def _workspace(self, name: str, place: Range) -> Part:
        if name == "applying":
            return Unknown("terraform.applying differs between plan and apply", place, kind=UnknownKind.WORKSPACE)
        if name != "workspace":
            detail = f'The "terraform" object does not have an attribute named {quote(name)}.'
            return as_unknown(error(ProblemKind.EVALUATION, 'Invalid "terraform" attribute', detail, place))
        workspace = self._values.configuration.workspace
        if workspace is None:
            return Unknown("the workspace is not known", place, kind=UnknownKind.WORKSPACE)
        return text(workspace)

    def _repetition(self, root: str, name: str, place: Range) -> Part:
        each = self._each
        if each is None:
            return Unknown(f"{root}.{name} differs between instances", place)
        if root == "count" and name == "index" and isinstance(each.key, IntKey):
            return number(each.key.value)
        if root == "each" and isinstance(each.key, StringKey):
            if name == "key":
                return text(each.key.value)
            if name == "value" and each.value is not None:
                return each.value
        detail = f'There is no "{root}.{name}" here: it belongs to another kind of repetition.'
        return as_unknown(error(ProblemKind.EVALUATION, f'Reference to "{root}" in wrong context', detail, place))


def _unread(name: str, place: Range | None, kind: UnknownKind) -> Unknown:
    return Unknown(f"{name} may be declared in a part of the module that could not be read", place, kind=kind)


def _known_later(reference: Traversal) -> Unknown:
    shown = ".".join(
        [reference.root, *(step.name for step in reference.steps[:3] if isinstance(step, AttributeAccess))]
    )
    if reference.root == "module":
        return Unknown(f"{shown} is an output of a module, which is known only in a plan", reference.range)
    if reference.root == "data":
        return Unknown(f"{shown} is read only in a plan", reference.range)
    kind = UnknownKind.EPHEMERAL if reference.root == "ephemeral" else UnknownKind.OTHER
    return Unknown(f"{shown} is known only in a plan or an apply", reference.range, kind=kind)


def root_scope(configuration: Configuration, *, is_confined: bool = False) -> Scope:
    """Return the scope of the root module.

    In a scope that `is_confined`, functions that read files and paths have no value.
    """
    return Scope(_Values(configuration, addrs.Module(), None, is_confined=is_confined))


def finished(variable: Variable, given: Part | None) -> Part:
    """Return the final value of a variable; `given` is None if it is not set and has a default."""
    constraint = TypeConstraint() if variable.type is None else read_variable_type(variable.type, evaluate_literal)
    default = None if variable.default is None else evaluate_literal(variable.default)
    value = default if given is None else given
    assert value is not None
    found = _applied(variable, constraint, value)
    if isinstance(found, Value) and found.data is None and not variable.nullable:
        if default is None:
            detail = f"The variable {variable.name} is not nullable and has no default, so it cannot be set to null."
            problem = error(ProblemKind.VARIABLE, "Required variable not set", detail, variable.range)
            return as_unknown(problem)
        found = _applied(variable, constraint, default)
    if variable.ephemeral and isinstance(found, Value):
        # An ephemeral value cannot be persisted: not in an instance key, nor in a resource argument.
        return Unknown(
            f"var.{variable.name} is ephemeral",
            variable.range,
            found.type,
            variable.sensitive,
            kind=UnknownKind.EPHEMERAL,
        )
    return marked(found, variable.sensitive)


def _applied(variable: Variable, constraint: TypeConstraint, value: Part) -> Part:
    try:
        return constraint.apply(value)
    except ConversionError as mismatch:
        detail = f"The given value is not suitable for var.{variable.name} declared at {variable.range}: {mismatch}."
        return as_unknown(error(ProblemKind.VARIABLE, "Invalid value for input variable", detail, variable.range))


def missing(variable: Variable, call: ModuleCall | None, *, for_program: bool = False) -> Unknown:
    """Return the Unknown for a variable that has no value."""
    if call is None:
        name = variable.name
        how = f"set it with --var {name}=…, --var-file or TF_VAR_{name}"
        if for_program:
            how = f"pass it in variables= or variable_files=, or TF_VAR_{name} in the environment of the context"
        return Unknown(f"var.{variable.name} has no value: {how}", variable.range, kind=UnknownKind.VARIABLE)
    detail = f'The argument "{variable.name}" is required, but no definition was found.'
    return as_unknown(error(ProblemKind.VARIABLE, "Missing required argument", detail, call.range))


def root_value(variable: Variable, given: InputValue | None) -> Part | None:
    """Return the value set for a root variable, not yet converted; None if it is not set."""
    if given is None:
        return None
    if given.expression is not None:
        return evaluate_literal(given.expression)
    if variable.type is None or isinstance(read_variable_type(variable.type, evaluate_literal).type, PrimitiveType):
        return text(given.text)
    source = SourceText(f"<value for var.{variable.name}>", given.text.encode("utf-8", "replace"))
    expression, problems = read_expression(source, 0, len(source.content), given.text, exact=True)
    if problems:
        detail = (
            f"The value from {given.origin} for var.{variable.name} is not a valid expression: {problems[0].detail}"
        )
        return as_unknown(error(ProblemKind.VARIABLE, "Invalid value for input variable", detail, variable.range))
    return evaluate_literal(expression)
