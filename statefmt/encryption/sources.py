"""Reads encryption configurations in HCL or JSON, from a file, the environment or a module.

    surroundings = read_surroundings(directory, environment, options)   # the values of variables, the module if any
    module_configuration(surroundings)                    # the encryption block of the module
    text_configuration(Origin.of_environment("TF_ENCRYPTION"), text, surroundings)

    layered_configuration(GivenText.of_file(path), None, (), environment)   # all that a run has, merged

All return an `EncryptionConfiguration` or raise ConfigurationError, with a position but without the text at it: that
may be a passphrase.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from statefmt.configuration import (
    Configuration,
    Declarations,
    InputValue,
    LoadOptions,
    ModuleConfiguration,
    Scope,
    Variable,
    VariableOption,
    load,
    root_scope,
)
from statefmt.configuration.directory import read_inputs
from statefmt.configuration.model import EncryptionBlock
from statefmt.encryption import (
    ArgumentBlock,
    ArgumentValue,
    EncryptionConfiguration,
    Origin,
    OriginKind,
    Reference,
    Unread,
    configuration_of,
    merged,
)
from statefmt.encryption._configuration import ALIAS, parse_reference
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.operations import NoNames
from statefmt.hcl.source import Problem, ProblemKind, Range, SourceText
from statefmt.hcl.syntax import (
    Access,
    Argument,
    AttributeAccess,
    Bad,
    Block as WrittenBlock,
    Body,
    Expression,
    Literal,
    Parentheses,
    TemplateWrap,
    Traversal,
    as_traversal,
    references,
)
from statefmt.hcl.syntax.json import LARGEST_FILE, read_json_file
from statefmt.hcl.syntax.native import read_file
from statefmt.hcl.value import Part, Unknown, UnknownKind, first_unknown
from statefmt.model import addrs
from statefmt.model.errors import ConfigurationError
from statefmt.model.findings import Severity
from statefmt.store.files import read_bounded
from statefmt.store.reading import reason_of

# OpenTofu's variable for an encryption configuration.
_ENVIRONMENT: Final = "TF_ENCRYPTION"


class GivenText(NamedTuple):
    """A configuration that the user names: its origin, and a function that reads it."""

    origin: Origin
    content: Callable[[], bytes]

    @classmethod
    def of_file(cls, path: str) -> GivenText:
        """Return the configuration in a file. Reading it raises ConfigurationError."""

        def content() -> bytes:
            try:
                return read_bounded(path, LARGEST_FILE, pipes=True)
            except OSError as error:
                raise ConfigurationError(f"{path}: {reason_of(error)}") from error

        return cls(Origin.of_file(path), content)


def layered_configuration(
    given: GivenText | None,
    directory: str | None,
    options: tuple[VariableOption, ...],
    environment: Mapping[str, str],
    *,
    allow_external: bool = False,
) -> EncryptionConfiguration | None:
    """Merge the given configuration, TF_ENCRYPTION and the configuration of the module in `directory`, in this order of
    precedence.

    `options` set variables of the module. Programs that the module names run only with `allow_external`. Returns None
    if nothing is configured. Raises ConfigurationError, with the place.
    """
    text = environment.get(_ENVIRONMENT, "").strip()
    if given is None and directory is None and not text:
        return None
    module = None if directory is None else Path(directory)
    surroundings = read_surroundings(module, environment, options, allow_external=allow_external)
    found = [] if module is None else [module_configuration(surroundings)]
    if text:
        content = text.encode("utf-8", "surrogateescape")
        found.append(text_configuration(Origin.of_environment(_ENVIRONMENT), content, surroundings))
    if given is not None:
        found.append(text_configuration(given.origin, given.content(), surroundings))
    layers = [one for one in found if one is not None]
    if not layers:
        raise ConfigurationError(f"{directory}: the module has no encryption block in a terraform block")
    over = layers[0]
    for one in layers[1:]:
        over = merged(over, one)
    return over


def module_configuration(surroundings: SourceSurroundings) -> EncryptionConfiguration | None:
    """Read the configuration of the module; None if it has none. Raises ConfigurationError."""
    assert surroundings.module is not None
    found: EncryptionConfiguration | None = None
    taken: dict[str, EncryptionBlock] = {}
    for block in surroundings.declarations.encryption:
        # Each override file may have one block, all other files together one.
        other = taken.setdefault(block.source.file if block.override else "", block)
        if other is not block:
            raise ConfigurationError(
                "encryption: a module may have only one such block, and one in each override file; found two, "
                f"at {surroundings.place(other.range)} and at {surroundings.place(block.range)}"
            )
        over = _read(block, surroundings, surroundings.module)
        found = over if found is None else merged(found, over)
    return found


def _read(block: EncryptionBlock, surroundings: SourceSurroundings, origin: Origin) -> EncryptionConfiguration:
    where = surroundings.place(block.range)
    check_text(block.source, where.rpartition(":")[0])
    problems: list[Problem] = []
    try:
        body = _body(block, problems)
        before = len(problems)
        blocks = list(BlockReader(origin, where, surroundings, json=block.json).inside(body))
    except RecursionError:
        raise ConfigurationError(f"{where}: the encryption block is nested too deeply") from None
    if len(problems) > before:
        raise unreadable(problems[before], surroundings.declarations, Path(surroundings.root))
    return configuration_of(blocks)


def _body(block: EncryptionBlock, problems: list[Problem]) -> Body:
    """Parse the contents of the block again, adding its problems to `problems`."""
    body: Body = read_json_file(block.source, problems) if block.json else read_file(block.source, problems)
    found = (each for terraform in body.blocks("terraform") for each in terraform.body.blocks("encryption"))
    return next(each.body for each in found if each.range == block.range)


_UTF8_MARK: Final = b"\xef\xbb\xbf"
# In files of a module the block is nested in a terraform block.
_MODULE_FILES: Final = (".tf", ".tofu", ".tf.json", ".tofu.json")


def text_configuration(origin: Origin, text: bytes, surroundings: SourceSurroundings) -> EncryptionConfiguration:
    """Read a configuration; like OpenTofu, treat it as JSON if it begins with a brace.

    In a file with the extension of a module file, reads the encryption block in its terraform block. Raises
    ConfigurationError.
    """
    place = origin.name
    source = SourceText(place, text.removeprefix(_UTF8_MARK))
    check_text(source, place)
    json = source.content.lstrip().startswith(b"{")
    problems: list[Problem] = []
    try:
        body: Body = read_json_file(source, problems) if json else read_file(source, problems)
        _check(problems)
        blocks: list[ArgumentBlock] = []
        for each in _bodies(origin, body):
            blocks += BlockReader(origin, place, surroundings, json=json).inside(each)
    except RecursionError:
        raise ConfigurationError(f"{place}: the encryption configuration is nested too deeply") from None
    _check(problems)
    return configuration_of(blocks)


def check_text(source: SourceText, place: str) -> None:
    """Raise ConfigurationError if a text is not UTF-8: replaced characters could change a passphrase."""
    try:
        source.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = source.place(error.start)
        raise ConfigurationError(f"{place}:{line},{column}: this is not UTF-8") from None


def _check(problems: list[Problem]) -> None:
    if problems:
        raise unreadable(problems[0], Declarations("."), Path())


def _bodies(origin: Origin, body: Body) -> Iterator[Body]:
    if origin.kind is not OriginKind.FILE or not origin.name.endswith(_MODULE_FILES):
        yield body
        return
    found = [block for terraform in body.blocks("terraform") for block in terraform.body.blocks("encryption")]
    if len(found) != 1:
        raise ConfigurationError(
            f"{origin.name}: a module file must contain one terraform block with an encryption block, but this one "
            f"{'has several' if found else 'has none'}"
        )
    yield found[0].body


# The number of labels of each block type, by the type of the parent: JSON needs it to tell blocks from objects.
_TOP: Final = {"key_provider": 2, "method": 2, "state": 0, "plan": 0, "remote_state_data_sources": 0}
_TARGET: Final = {"fallback": 0}
_INSIDE: Final[Mapping[str, Mapping[str, int]]] = {
    "state": _TARGET,
    "plan": _TARGET,
    "fallback": _TARGET,
    "default": _TARGET,
    "remote_state_data_source": _TARGET,
    "remote_state_data_sources": {"default": 0, "remote_state_data_source": 1},
}
_NOT_HERE: Final = "unknown block; expected the contents of an encryption block"


class BlockReader:
    """Reads the blocks of one encryption configuration at the position `where`.

    The names in it are those of its module or, without one, the given variables. Passphrases and keys cannot use values
    from `--var`, since everyone on the machine can read a command line.
    """

    def __init__(self, origin: Origin, where: str, surroundings: SourceSurroundings, *, json: bool) -> None:
        self._origin = origin
        self._where = where
        self._surroundings = surroundings
        self._json = json

    def inside(self, body: Body) -> Iterator[ArgumentBlock]:
        """Yield the blocks of a body. Raises ConfigurationError if it contains anything else."""
        for name in (*body.names(), *body.block_types()):
            if name in _TOP and (self._json or name in body.block_types()):
                continue
            argument = body.attribute(name)
            where = self._where if argument is None else self._surroundings.place(argument.range)
            raise ConfigurationError(f"{name}: {_NOT_HERE} ({where})")
        for type_, labels in _TOP.items():
            for block in body.blocks(type_, labels):
                yield self._block(block)

    def _block(self, block: WrittenBlock) -> ArgumentBlock:
        body = block.body
        known = _INSIDE.get(block.type, {})
        values: dict[str, ArgumentValue] = {}
        places: dict[str, str] = {}
        origins: dict[str, Origin] = {}
        for name in body.names():
            argument = None if self._json and name in known else body.attribute(name)
            if argument is None:
                continue
            places[name] = self._surroundings.place(argument.range)
            # The module determines the value if the expression uses its names or files.
            module = self._surroundings.module
            origins[name] = self._origin if module is None or is_constant(argument) else module
            if name == METHOD and block.type in _INSIDE:
                values[name] = method_value(argument, json=self._json)
            else:
                values[name] = argument_value(argument, self._surroundings, json=self._json)
        inner = [self._block(each) for type_, labels in known.items() for each in body.blocks(type_, labels)]
        # Only cloud key providers have nested blocks, and those are refused, so the type is enough.
        inner += [ArgumentBlock(type_) for type_ in body.block_types() if type_ not in known]
        place = self._surroundings.place(block.range)
        return ArgumentBlock(block.type, block.labels, values, tuple(inner), place, places, origins)


METHOD: Final = "method"
_KEY_PROVIDER: Final = "key_provider"
# OpenTofu reads these before references can be resolved.
_LITERAL: Final = frozenset({"enforced", ALIAS})
_SECRET: Final = frozenset({"passphrase", "keys", "chain"})
# The reasons of the kind OTHER may quote the text, such as a passphrase without quotation marks.
_TOLD: Final = frozenset(UnknownKind) - {UnknownKind.OTHER}
_UNTOLD: Final = "the value of this expression is unknown before a plan; a string needs double quotes"


def method_value(argument: Argument, *, json: bool) -> ArgumentValue:
    """Read the argument `method` of a target: only a reference, in JSON as a string."""
    if json:
        text = _text(argument.expression)
        found = None if text is None else parse_reference(text)
    else:
        traversal = as_traversal(argument.expression)
        found = None if traversal is None else _reference(traversal)
    return Unread("must name a method: method.TYPE.NAME") if found is None else found


def argument_value(argument: Argument, surroundings: SourceSurroundings, *, json: bool) -> ArgumentValue:
    """Evaluate any other argument; a reference to a key provider stays a reference."""
    inner = _unwrapped(argument.expression)
    if argument.name in _LITERAL:
        found = evaluate(inner, NoNames())
        return _value(found) if first_unknown((found,)) is None else Unread("references are not allowed here")
    text = _text(argument.expression)
    if json and argument.name == "chain" and text is not None:
        return parse_reference(text) or text
    traversal = as_traversal(inner)
    if traversal is not None and traversal.root == _KEY_PROVIDER:
        return _reference(traversal) or Unread("must be a key provider (key_provider.TYPE.NAME), not a part of one")
    if any(reference.root == _KEY_PROVIDER for reference in references(inner)):
        return Unread("a key provider cannot be used inside an expression")
    part = evaluate(inner, surroundings.for_secrets if argument.name in _SECRET else surroundings)
    unknown = first_unknown((part,))
    return _value(part) if unknown is None else Unread(_reason(unknown, argument.range, surroundings))


def is_constant(argument: Argument) -> bool:
    """Return whether a value is constant: without names and functions, which may read files."""
    return first_unknown((evaluate(argument.expression, NoNames()),)) is None


def _unwrapped(expression: Expression) -> Expression:
    """Remove parentheses, and the quotes of a template that is a single interpolation."""
    while isinstance(expression, (Parentheses, TemplateWrap)):
        expression = expression.inner
    return expression


def _text(expression: Expression) -> str | None:
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, str) else None


def _reference(traversal: Traversal) -> Reference | None:
    names = [step.name for step in traversal.steps if isinstance(step, AttributeAccess)]
    if len(names) < len(traversal.steps):
        return None
    return parse_reference(".".join((traversal.root, *names)))


def _value(part: Part) -> ArgumentValue:
    """Convert a known part to an argument value; ignores whether it is sensitive, since all of them are secret."""
    assert not isinstance(part, Unknown)
    data = part.data
    if isinstance(data, tuple):
        return [_value(item) for item in data]
    if isinstance(data, Mapping):
        return {name: _value(item) for name, item in data.items()}
    if isinstance(data, str):
        try:
            data.encode("utf-8")
        except UnicodeEncodeError:
            # The reason quotes a part of the text, so it is not shown.
            return Unread("it is not UTF-8")
    return data


def _reason(unknown: Unknown, own: Range, surroundings: SourceSurroundings) -> str:
    """Return the reason why a value is unknown, with its position if that is elsewhere."""
    if unknown.problem is not None:
        reason = f"OpenTofu would refuse it: {unknown.problem.summary}"
    else:
        reason = unknown.reason if unknown.kind in _TOLD else _UNTOLD
    place = unknown.range
    if place is None or not place.file or (place.file == own.file and own.start <= place.start < own.stop):
        return reason
    return f"{reason}; see {surroundings.place(place)}"


_COMMAND_LINE: Final = "--var"
_NOWHERE: Final = Range(file="", line=1, column=1, end_line=1, end_column=1, start=0, stop=0)


class SourceSurroundings:
    """The module or the variables around an encryption configuration; resolves names for `evaluate`."""

    def __init__(self, configuration: Configuration, module: Origin | None, *, secret: bool = False) -> None:
        """Resolve the names of a module; without `module`, its origin, only the given variables have values."""
        self.declarations = configuration.root.declarations
        self.root = configuration.directory
        self.module = module
        self._configuration = configuration
        self._scope: Scope = root_scope(_with_reasons(configuration, secret=secret))

    @cached_property
    def for_secrets(self) -> SourceSurroundings:
        """The same surroundings without the values from the command line."""
        return SourceSurroundings(self._configuration, self.module, secret=True)

    @property
    def directory(self) -> Path | None:
        """The base directory for relative paths in functions."""
        return self._scope.directory

    @property
    def files_within(self) -> tuple[str, ...] | None:
        # The secrets of a module are often elsewhere, and never shown.
        return None

    @property
    def is_confined(self) -> bool:
        return False

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """Return the value of a name and the remaining steps into it."""
        first = reference.steps[0] if reference.steps else None
        # In a module, the scope reports an undeclared variable.
        if (
            self.module is None
            and reference.root == "var"
            and isinstance(first, AttributeAccess)
            and first.name not in self.declarations.variables
        ):
            return Unknown(_without_value(first.name), reference.range, kind=UnknownKind.VARIABLE), ()
        return self._scope.resolve(reference)

    def place(self, found: Range) -> str:
        """Return a position for messages, with the directory of the module."""
        file = found.file
        if file in self.declarations.files:
            file = os.path.normpath(Path(self.root) / file)
        return str(msgspec.structs.replace(found, file=file)) if file else ""


def read_surroundings(
    directory: Path | None,
    environment: Mapping[str, str],
    options: tuple[VariableOption, ...],
    *,
    allow_external: bool = False,
) -> SourceSurroundings:
    """Load the module in a directory with its variable files and options.

    Without a directory, `var.NAME` takes its value from TF_VAR_NAME or a variable file. Programs that the module names
    may run only with `allow_external`. Raises ConfigurationError if a file cannot be read completely.
    """
    if directory is not None:
        found = load(directory, LoadOptions(options, environment, children=False))
        check_readable(found.problems, found.root.declarations, directory)
        return SourceSurroundings(found, Origin.of_module(str(directory), allow_external=allow_external))
    problems: list[Problem] = []
    inputs = read_inputs(None, environment, options, problems)
    check_readable(tuple(problems), Declarations("."), Path())
    variables = {name: Variable(name, _NOWHERE) for name in inputs}
    module = ModuleConfiguration(addrs.Module(), Declarations(".", variables=variables))
    workspace = environment.get("TF_WORKSPACE") or None
    configuration = Configuration(".", {module.path: module}, inputs=inputs, workspace=workspace)
    return SourceSurroundings(configuration, None)


def _with_reasons(configuration: Configuration, *, secret: bool) -> Configuration:
    """Replace each value that is missing or must not be used with a reason."""
    inputs = dict(configuration.inputs)
    for variable in configuration.root.declarations.variables.values():
        given = inputs.get(variable.name)
        if given is None and variable.default is None:
            inputs[variable.name] = _unknown(variable, _without_value(variable.name))
        elif secret and given is not None and given.origin == _COMMAND_LINE:
            reason = (
                f"var.{variable.name} comes from --var, where everyone on the machine can read it; set "
                f"TF_VAR_{variable.name} or use a variable file (--var-file) instead"
            )
            inputs[variable.name] = _unknown(variable, reason)
    return msgspec.structs.replace(configuration, inputs=inputs)


def _unknown(variable: Variable, reason: str) -> InputValue:
    return InputValue(variable.name, "", Bad(reason, variable.range, UnknownKind.VARIABLE))


def _without_value(name: str) -> str:
    return f"var.{name} has no value: set TF_VAR_{name} or use a variable file (--var-file)"


# Problems whose detail does not quote the text.
_PLAIN: Final = frozenset({
    "Argument or block definition required",
    "Invalid JSON",
    "Invalid expression",
    "Invalid multi-line string",
    "Invalid single-argument block definition",
    "Missing attribute separator",
    "Missing newline after argument",
    "Missing newline after block definition",
    "Missing symbol",
})  # fmt: skip
# Problems that prevent reading a file completely; `check` reports the others.
_UNREAD: Final = (ProblemKind.SYNTAX, ProblemKind.UNREADABLE)


def check_readable(problems: Iterable[Problem], declarations: Declarations, directory: Path) -> None:
    """Raise ConfigurationError if a file cannot be read completely: missing parts would have to be guessed."""
    for problem in problems:
        if problem.severity is Severity.ERROR and problem.kind in _UNREAD:
            raise unreadable(problem, declarations, directory)


def unreadable(problem: Problem, declarations: Declarations, directory: Path) -> ConfigurationError:
    """Return the error for a problem, with its position; paths of module files include `directory`."""
    place = problem.range
    if problem.kind is ProblemKind.UNREADABLE or place is None:
        return ConfigurationError(problem.detail)
    file = os.path.normpath(directory / place.file) if place.file in declarations.files else place.file
    detail = f". {problem.detail}" if problem.summary in _PLAIN else ""
    return ConfigurationError(f"{msgspec.structs.replace(place, file=file)}: {problem.summary}{detail}")
