"""Loads the modules that a configuration calls, and those that test runs call in place of the root module.

Source: OpenTofu `internal/configs/config_build.go`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from statefmt.configuration.checks.locals import check_locals
from statefmt.configuration.checks.variables import check_variables
from statefmt.configuration.loading._directory import DirectoryReader, below
from statefmt.configuration.loading._manifest import InstalledModule
from statefmt.configuration.model import (
    Configuration,
    Declarations,
    InputValue,
    ModuleCall,
    ModuleConfiguration,
    TestRun,
)
from statefmt.configuration.scopes.scope import Facts, Scope, first_scope
from statefmt.hcl.expressions.evaluate import evaluate
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error, warning
from statefmt.hcl.value import Value
from statefmt.model import addrs

if TYPE_CHECKING:
    from statefmt.formats.releases import Release

# A tree of calls can have far more modules than directories: each level may call the next one twice.
_MOST_MODULES: Final = 10_000


class ModuleTree:
    """The modules found so far, parents before children.

    `place` is the path of the root in the manifest of installed modules, empty except for the modules of test runs.
    `release` is the release that reads the configuration, None if only `required_version` says which.
    """

    def __init__(
        self,
        reader: DirectoryReader,
        manifest: Mapping[str, InstalledModule],
        problems: list[Problem],
        place: tuple[str, ...] = (),
        release: Release | None = None,
    ) -> None:
        self._reader = reader
        self._manifest = manifest
        self._problems = problems
        self._checked: set[str] = set()
        self._reported: set[tuple[str, Range | None]] = set()
        self._place = place
        self._release = release
        self._modules: dict[addrs.Module, ModuleConfiguration] = {}
        self._missing: dict[addrs.Module, str] = {}

    def read(self, root: Declarations, inputs: Mapping[str, InputValue], workspace: str | None) -> Configuration:
        """Return the configuration with this root and every module below it, without its problems."""
        directory = self._reader.root
        self._modules[addrs.Module()] = ModuleConfiguration(addrs.Module(), root)
        scope = first_scope(Facts(directory, self._modules, inputs, workspace))
        self._read_children(scope, (_real(directory, root.directory),))
        return Configuration(str(directory), self._with_children(), self._missing, inputs, workspace)

    def read_tested(self, file: str, run: TestRun, workspace: str | None) -> Configuration | None:
        """Return the module that a test run calls in place of the root module, as a separate configuration.

        Its variables have no values. None if the run has no such module or it cannot be read.
        """
        if not run.module_source or run.module_range is None:
            return None
        folder, _, name = file.rpartition("/")
        place = ("test", *filter(None, folder.split("/")), name.removesuffix(".tftest.hcl"), run.name)
        tree = ModuleTree(self._reader, self._manifest, self._problems, place, self._release)
        # Report the problems of a directory or a call only once.
        tree._checked, tree._reported = self._checked, self._reported
        root = addrs.Module()
        directory = tree._located(run.module_source, root, ".", run.module_range, ())
        found = None if directory is None else tree._opened(directory, root, run.module_range)
        return None if found is None else tree.read(found, {}, workspace)

    def _with_children(self) -> dict[addrs.Module, ModuleConfiguration]:
        """Return the modules, each with the names of its calls whose modules were found."""
        children: dict[addrs.Module, list[str]] = {}
        for path in self._modules:
            if not path.is_root:
                children.setdefault(path.parent(), []).append(path.names[-1])
        return {
            path: msgspec.structs.replace(module, children=tuple(children.get(path, ())))
            for path, module in self._modules.items()
        }

    def _read_children(self, scope: Scope, above: tuple[str, ...]) -> None:
        """Read the modules that the module of `scope` calls, recursively. `above` are the directories on the way."""
        declarations = scope.module.declarations
        if declarations.directory not in self._checked:
            self._checked.add(declarations.directory)
            check_variables(declarations, self._problems)
            check_locals(declarations, self._problems)
        for name in sorted(declarations.calls):
            call = declarations.calls[name]
            path = scope.module.path.child(name)
            directory = self._directory(scope, path, call, above)
            found = None if directory is None else self._opened(directory, path, call.range)
            if directory is None or found is None:
                continue
            self._modules[path] = ModuleConfiguration(path, found, call)
            self._read_children(scope.child(name), (*above, _real(self._reader.root, directory)))

    def _directory(self, scope: Scope, path: addrs.Module, call: ModuleCall, above: tuple[str, ...]) -> str | None:
        if len(self._modules) >= _MOST_MODULES:
            detail = f"There are more than {_MOST_MODULES:,} module calls. The remaining ones are not read."
            self._miss(path, error(ProblemKind.MODULE, "Too many modules", detail, call.range))
            return None
        source = self._source(scope, path, call)
        if source is None:
            return None
        return self._located(source, path, scope.module.declarations.directory, call.range, above)

    def _located(
        self, source: str, path: addrs.Module, caller: str, place: Range, above: tuple[str, ...]
    ) -> str | None:
        """Return the directory of a module called from the directory `caller`; None, with a problem, if unavailable."""
        if source.startswith(("./", "../", ".\\", "..\\")) or source in (".", ".."):
            directory = below(caller, source.replace("\\", "/"))
        elif (installed := self._manifest.get(".".join((*self._place, *path.names)))) is not None:
            directory = os.path.normpath(installed.directory)
        else:
            detail = 'This module is not yet installed. Run "tofu init" to install all modules of this configuration.'
            self._miss(path, warning(ProblemKind.MODULE, "Module not installed", detail, place))
            return None
        if _real(self._reader.root, directory) in above:
            detail = f"{path} is in the directory {directory}, from which it is called: the calls would never end."
            self._miss(path, error(ProblemKind.MODULE, "Module calls itself", detail, place))
            return None
        return directory

    def _opened(self, directory: str, path: addrs.Module, place: Range) -> Declarations | None:
        """Return the declarations of a called module; None, with a problem, if its directory cannot be read."""
        found = self._reader.read(directory)
        if found is None:
            detail = f"The directory {directory} of this module does not exist or cannot be read."
            self._miss(path, error(ProblemKind.MODULE, "Unreadable module directory", detail, place))
        elif found.imports and (refusing := self._refusing_imports(path, found)):
            detail = "Import blocks are only allowed in the root module, and this module is called by another one. "
            if self._release is None:
                detail += (
                    f"Terraform 1.16 allows them; {refusing[-1].title}, which the configuration admits, does not. If "
                    'only Terraform 1.16 and later read it, set `required_version = ">= 1.16"`.'
                )
            else:
                detail += f"{self._release.title} does not allow them here; Terraform 1.16 does."
            self._report(error(ProblemKind.BLOCK, "Invalid import configuration", detail, found.imports[0].range))
        return found

    def _refusing_imports(self, path: addrs.Module, found: Declarations) -> list[Release]:
        """Return the releases that may read a module and refuse imports in it."""
        above = [self._modules.get(addrs.Module(path.names[:depth])) for depth in range(len(path.names))]
        declared = [*(module.declarations for module in above if module is not None), found]
        constraints = [version.text for each in declared for version in each.required_versions]
        # Imported here because few configurations have such imports.
        from statefmt.configuration.loading._releases import admitted_releases

        releases = admitted_releases(constraints) if self._release is None else [self._release]
        return [release for release in releases if not release.imports_in_modules]

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
            self._miss(
                path, error(ProblemKind.MODULE, "Invalid module source address", "The source must be a string.", place)
            )
        elif value.problem is not None:
            self._miss(path, value.problem)
        else:
            detail = f"The source of this module cannot be determined: {value.reason}."
            self._miss(path, warning(ProblemKind.MODULE, "Unable to compute static value", detail, place))
        return None

    def _miss(self, path: addrs.Module, problem: Problem) -> None:
        self._missing[path] = f"{problem.summary}: {problem.detail}"
        self._report(problem)

    def _report(self, problem: Problem) -> None:
        # A module that is called several times has the same problems each time.
        if (problem.summary, problem.range) not in self._reported:
            self._reported.add((problem.summary, problem.range))
            self._problems.append(problem)


def _real(root: Path, directory: str) -> str:
    return os.path.realpath(root / directory)
