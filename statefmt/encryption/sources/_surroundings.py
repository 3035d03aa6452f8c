"""Resolves the names in an encryption configuration: those of its module or, without one, the given variables.

Passphrases and keys cannot use values from `--var`, since everyone on the machine can read a command line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

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
from statefmt.configuration.loading.inputs import InputReader
from statefmt.encryption import Origin
from statefmt.encryption.sources._readable import check_readable
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.expressions import Access, AttributeAccess, Bad, Traversal
from statefmt.hcl.value import Part, Unknown, UnknownKind
from statefmt.model import addrs

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
    def is_confined(self) -> bool:
        return False

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """Return the value of a name and the remaining steps into it."""
        first = reference.steps[0] if reference.steps else None
        if reference.root == "var" and isinstance(first, AttributeAccess) and self._is_not_given(first.name):
            return Unknown(_without_value(first.name), reference.range, kind=UnknownKind.VARIABLE), ()
        return self._scope.resolve(reference)

    def _is_not_given(self, variable: str) -> bool:
        # In a module, the scope reports an undeclared variable.
        return self.module is None and variable not in self.declarations.variables

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
    inputs = InputReader(None, problems).read(environment, options)
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
