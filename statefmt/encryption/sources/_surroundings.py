"""The names that an encryption configuration can use: those of the module, or without one the given variables alone.

Passphrases and keys see none of the values of `--var`: everybody on a machine can read a command line.
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
from statefmt.hcl.syntax.expressions import (
    Access,
    AttributeAccess,
    Bad,
    Traversal,
)
from statefmt.hcl.value import Part, Unknown, UnknownKind
from statefmt.model import addrs

_COMMAND_LINE: Final = "--var"
_NOWHERE: Final = Range("", 1, 1, 1, 1, 0, 0)


class SourceSurroundings:
    """What is around an encryption configuration. It gives names their values, as `evaluate` asks."""

    def __init__(self, configuration: Configuration, module: Origin | None, *, secret: bool = False) -> None:
        """Without a `module`, which is the origin of its names, only the given variables have values."""
        self.declarations = configuration.root.declarations
        self.root = configuration.directory
        self.module = module
        self._configuration = configuration
        self._scope: Scope = root_scope(_with_reasons(configuration, secret=secret))

    @cached_property
    def for_secrets(self) -> SourceSurroundings:
        """The same without the values that everybody can read."""
        return SourceSurroundings(self._configuration, self.module, secret=True)

    @property
    def directory(self) -> Path | None:
        """Where relative paths of functions begin."""
        return self._scope.directory

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """The value of a name, and the steps that are left to take into it."""
        first = reference.steps[0] if reference.steps else None
        if reference.root == "var" and isinstance(first, AttributeAccess) and self._is_not_given(first.name):
            return Unknown(_without_value(first.name), reference.range, kind=UnknownKind.VARIABLE), ()
        return self._scope.resolve(reference)

    def _is_not_given(self, variable: str) -> bool:
        # In a module it is another mistake, which the scope knows.
        return self.module is None and variable not in self.declarations.variables

    def place(self, found: Range) -> str:
        """Where something stands, with the directory of the module."""
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
    """The surroundings of a configuration: the module in a directory, its files of values, and what options give.

    Without a directory, `var.NAME` is what TF_VAR_NAME or a file of values has. Programs that the module names may run
    only with `allow_external`. Raises ConfigurationError where a file cannot be read in full.
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
    """The same, with a reason in place of each value that is not there, or must not be used."""
    inputs = dict(configuration.inputs)
    for variable in configuration.root.declarations.variables.values():
        given = inputs.get(variable.name)
        if given is None and variable.default is None:
            inputs[variable.name] = _unknown(variable, _without_value(variable.name))
        elif secret and given is not None and given.origin == _COMMAND_LINE:
            reason = (
                f"var.{variable.name} comes from --var, where everybody on the machine can read it; "
                f"TF_VAR_{variable.name} or a file of values (--var-file) can give it instead"
            )
            inputs[variable.name] = _unknown(variable, reason)
    return msgspec.structs.replace(configuration, inputs=inputs)


def _unknown(variable: Variable, reason: str) -> InputValue:
    return InputValue(variable.name, "", Bad(reason, variable.range, UnknownKind.VARIABLE))


def _without_value(name: str) -> str:
    return f"var.{name} has no value: TF_VAR_{name} or a file of values (--var-file) can give it one"
