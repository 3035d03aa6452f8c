"""Reads a whole configuration: the root directory, the values of its variables, and every module that it calls.

Source: OpenTofu `internal/configs/config_build.go`, `internal/configs/configload/loader_load.go`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from statefmt import addrs
from statefmt.config.check_locals import check_locals
from statefmt.config.check_variables import check_inputs, check_variables
from statefmt.config.directory import DirectoryReader, below
from statefmt.config.evaluate import evaluate
from statefmt.config.inputs import InputReader, VariableOption
from statefmt.config.manifest import InstalledModule, read_manifest
from statefmt.config.model import Configuration, Declarations, Module, ModuleCall
from statefmt.config.position import Range
from statefmt.config.problem import Problem, ProblemKind, error, warning
from statefmt.config.scope import Facts, Scope, first_scope
from statefmt.config.values import Value

__all__ = ["LoadOptions", "VariableOption", "load"]

# A tree of calls can have far more modules than directories: each level may call the next one twice.
_MOST_MODULES: Final = 10_000


class LoadOptions(msgspec.Struct, frozen=True):
    """What is given beside the directory.

    `environment` may have `TF_VAR_…`, `TF_DATA_DIR` and `TF_WORKSPACE`. `workspace` is the value of
    `terraform.workspace`; without it TF_WORKSPACE counts, then the file `environment` of the data directory. Without
    `children` the root module is read alone, and its declarations are not checked.
    """

    variables: tuple[VariableOption, ...] = ()
    environment: Mapping[str, str] = {}
    workspace: str | None = None
    test_directory: str = "tests"
    children: bool = True


def load(directory: Path, options: LoadOptions | None = None) -> Configuration:
    """Read the configuration in a directory, as far as it can be read; `problems` of the result says what is wrong.

    Ranges name files relative to `directory`, as OpenTofu does when it runs there (`main.tf`, `modules/a/main.tf`).
    Each directory is read once. Never raises for what a directory can hold.
    """
    options = options or LoadOptions()
    problems: list[Problem] = []
    reader = DirectoryReader(directory, problems)
    root = reader.read(".", options.test_directory if options.children else None)
    if root is None:
        detail = f"Module directory {directory} does not exist or cannot be read."
        problems.append(error(ProblemKind.UNREADABLE, "Failed to read module directory", detail))
        root = Declarations(".")
    elif not root.files:
        detail = f"The directory {directory} contains no configuration files."
        problems.append(error(ProblemKind.UNREADABLE, "No configuration files", detail))
    data = options.environment.get("TF_DATA_DIR") or ".terraform"
    workspace = options.workspace or options.environment.get("TF_WORKSPACE") or _chosen(directory / data)
    inputs = InputReader(directory, problems).read(options.environment, options.variables)
    if not options.children:
        module = Module(addrs.Module(), root)
        return Configuration(
            str(directory), {module.path: module}, inputs=inputs, workspace=workspace, problems=tuple(problems)
        )
    check_inputs(root, inputs, problems)
    shown = below(data, "modules/modules.json")
    manifest = read_manifest(directory / shown, shown, problems)
    tree = _Tree(reader, manifest, problems)
    tree.modules[addrs.Module()] = Module(addrs.Module(), root)
    tree.read_children(first_scope(Facts(directory, tree.modules, inputs, workspace)), (_real(directory, "."),))
    return Configuration(
        directory=str(directory),
        modules=tree.with_children(),
        missing=tree.missing,
        inputs=inputs,
        workspace=workspace,
        problems=tuple(problems),
    )


def _chosen(data: Path) -> str:
    try:
        return (data / "environment").read_text("utf-8").strip() or "default"
    except (OSError, UnicodeDecodeError):
        return "default"


def _real(root: Path, directory: str) -> str:
    return os.path.realpath(root / directory)


class _Tree:
    """The modules found so far, parents before children."""

    def __init__(
        self, reader: DirectoryReader, manifest: Mapping[str, InstalledModule], problems: list[Problem]
    ) -> None:
        self._reader = reader
        self._manifest = manifest
        self._problems = problems
        self._checked: set[str] = set()
        self._reported: set[tuple[str, Range | None]] = set()
        self.modules: dict[addrs.Module, Module] = {}
        self.missing: dict[addrs.Module, str] = {}

    def with_children(self) -> dict[addrs.Module, Module]:
        """The modules, each with the names of its calls that were found."""
        children: dict[addrs.Module, list[str]] = {}
        for path in self.modules:
            if not path.is_root:
                children.setdefault(path.parent(), []).append(path.names[-1])
        return {
            path: msgspec.structs.replace(module, children=tuple(children.get(path, ())))
            for path, module in self.modules.items()
        }

    def read_children(self, scope: Scope, above: tuple[str, ...]) -> None:
        """Read the modules that the one of `scope` calls, and theirs. `above` has the directories on the way."""
        declarations = scope.module.declarations
        if declarations.directory not in self._checked:
            self._checked.add(declarations.directory)
            check_variables(declarations, self._problems)
            check_locals(declarations, self._problems)
        for name in sorted(declarations.calls):
            call = declarations.calls[name]
            path = scope.module.path.child(name)
            directory = self._directory(scope, path, call, above)
            found = None if directory is None else self._reader.read(directory)
            if directory is None:
                continue
            if found is None:
                detail = f"The directory {directory} of this module does not exist or cannot be read."
                self._miss(path, error(ProblemKind.MODULE, "Unreadable module directory", detail, call.range))
                continue
            self.modules[path] = Module(path, found, call)
            self.read_children(scope.child(name), (*above, _real(self._reader.root, directory)))

    def _directory(self, scope: Scope, path: addrs.Module, call: ModuleCall, above: tuple[str, ...]) -> str | None:
        if len(self.modules) >= _MOST_MODULES:
            detail = f"There are more than {_MOST_MODULES:,} calls of modules: no more of them are read."
            self._miss(path, error(ProblemKind.MODULE, "Too many modules", detail, call.range))
            return None
        source = self._source(scope, path, call)
        if source is None:
            return None
        if source.startswith(("./", "../", ".\\", "..\\")) or source in (".", ".."):
            directory = below(scope.module.declarations.directory, source.replace("\\", "/"))
        elif (installed := self._manifest.get(".".join(path.names))) is not None:
            directory = os.path.normpath(installed.directory)
        else:
            detail = 'This module is not yet installed. Run "tofu init" to install all modules of this configuration.'
            self._miss(path, warning(ProblemKind.MODULE, "Module not installed", detail, call.range))
            return None
        if _real(self._reader.root, directory) in above:
            detail = f"{path} is in the directory {directory}, from which it is called itself: there would be no end."
            self._miss(path, error(ProblemKind.MODULE, "Module calls itself", detail, call.range))
            return None
        return directory

    def _source(self, scope: Scope, path: addrs.Module, call: ModuleCall) -> str | None:
        if call.source is None:
            detail = 'The argument "source" is required, but no definition was found.'
            self._miss(path, error(ProblemKind.MODULE, "Missing required argument", detail, call.range))
            return None
        value = evaluate(call.source.expression, scope)
        if isinstance(value, Value) and isinstance(value.data, str):
            return value.data
        place = call.source.expression.range
        if isinstance(value, Value):
            self._miss(path, error(ProblemKind.MODULE, "Invalid module source address", "It must be a text.", place))
        elif value.problem is not None:
            self._miss(path, value.problem)
        else:
            detail = f"The source of this module cannot be told, because {value.reason}."
            self._miss(path, warning(ProblemKind.MODULE, "Unable to compute static value", detail, place))
        return None

    def _miss(self, path: addrs.Module, problem: Problem) -> None:
        self.missing[path] = f"{problem.summary}: {problem.detail}"
        # A module that is called several times has the same mistake each time.
        if (problem.summary, problem.range) not in self._reported:
            self._reported.add((problem.summary, problem.range))
            self._problems.append(problem)
