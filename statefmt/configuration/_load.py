"""Loads a whole configuration: the root directory, the values of its variables, and all modules that it calls.

Also checks relations between blocks: cycles of local values (a plan reports a cycle instead), inputs of modules, and
the releases that every `required_version` admits. Sources: OpenTofu `internal/configs`, in
`configload/loader_load.go`, `config_build.go`, `named_values.go` and `static_scope.go`;
`internal/modsdir/manifest.go`; `internal/backend/unparsed_value.go`; hashicorp/go-version, `constraint.go`.
"""

from __future__ import annotations

import operator as operators
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from statefmt.configuration._constructs import unsupported
from statefmt.configuration._scope import Scope, root_scope
from statefmt.configuration.directory import (
    DirectoryReader,
    VariableOption,
    below,
    is_tofu_file,
    read_inputs,
    repository,
    stack_files,
)
from statefmt.configuration.instances import static_problems
from statefmt.configuration.model import (
    Configuration,
    Declarations,
    InputValue,
    ModuleCall,
    ModuleConfiguration,
    TestRun,
    Variable,
)
from statefmt.formats.releases import Release, all_releases
from statefmt.hcl.evaluate import evaluate, evaluate_literal
from statefmt.hcl.operations import ConversionError
from statefmt.hcl.source import Problem, ProblemKind, Range, error, warning
from statefmt.hcl.syntax import AttributeAccess, Bad, Expression, calls, references
from statefmt.hcl.type_constraint import TypeConstraint, read_variable_type
from statefmt.hcl.value import Unknown, UnknownKind, Value
from statefmt.model import addrs
from statefmt.store.backends.options import allowed_paths
from statefmt.store.files import read_bounded

_LONGEST_NAME: Final = 4096


class LoadOptions(msgspec.Struct, frozen=True):
    """Options of `load`.

    `environment` may contain `TF_VAR_…`, `TF_DATA_DIR` and `TF_WORKSPACE`. `workspace` is the value of
    `terraform.workspace`; if None, TF_WORKSPACE is used, then the file `environment` in the data directory. Without
    `children`, only the root module is read, and its declarations are not checked. `for_program`: messages name
    arguments of the library, not options of the command line. `is_confined`: ignore variable files in the directory
    that are links to files outside, and modules outside of its repository. With `allowed_paths`, functions such as
    `file` read only files in these paths and in the git repository around `directory`, or in `directory` itself
    without a repository. `release` is the release
    that reads the configuration; if None, any release that `required_version` admits. `contents` replace the contents
    of files in the directory, by file name. With `unknown_inputs`, a reason, root variables that `variables` do
    not set are unknown.
    """

    variables: tuple[VariableOption, ...] = ()
    environment: Mapping[str, str] = {}
    workspace: str | None = None
    test_directory: str = "tests"
    children: bool = True
    for_program: bool = False
    is_confined: bool = False
    allowed_paths: tuple[str, ...] | None = None
    release: Release | None = None
    contents: Mapping[str, bytes] = {}
    unknown_inputs: str = ""


def load(directory: Path, options: LoadOptions | None = None) -> Configuration:
    """Load the configuration in a directory as far as it can be read; the errors are in its `problems`.

    Ranges name files relative to `directory`, as OpenTofu does when it runs there (`main.tf`, `modules/a/main.tf`).
    Reads each directory once. Never raises because of the contents of a directory.
    """
    options = options or LoadOptions()
    problems: list[Problem] = []
    within = None
    if options.allowed_paths is not None:
        home = options.environment.get("HOME", "")
        within = (repository(directory, home), *options.allowed_paths, *allowed_paths(None, options.environment))
    modules_within = (repository(directory, ""),) if options.is_confined else None
    reader = DirectoryReader(directory, problems, within, options.contents, modules_within, options.release)
    root = reader.read(".", options.test_directory if options.children else None)
    if root is None:
        detail = f"Module directory {directory} does not exist or cannot be read."
        problems.append(error(ProblemKind.UNREADABLE, "Failed to read module directory", detail))
        root = Declarations(".")
    elif not root.files:
        detail = f"The directory {directory} contains no configuration files."
        if stack := stack_files(directory):
            detail += (
                f" {stack[0]} belongs to a stack, which statetool does not read: HCP Terraform keeps the states of "
                "stacks. Give the directory of a module."
            )
        problems.append(error(ProblemKind.UNREADABLE, "No configuration files", detail))
    data = options.environment.get("TF_DATA_DIR") or ".terraform"
    workspace = options.workspace or options.environment.get("TF_WORKSPACE") or _chosen(directory / data)
    files_within = (str(directory),) if options.is_confined else within
    inputs = read_inputs(directory, options.environment, options.variables, problems, files_within)
    if options.unknown_inputs:
        given = read_inputs(None, {}, options.variables, [])
        inputs = {name: _unknown_input(one, options.unknown_inputs) for name, one in root.variables.items()} | given
    if not options.children:
        modules = {addrs.Module(): ModuleConfiguration(addrs.Module(), root)}
        return Configuration(
            str(directory), modules, inputs=inputs, workspace=workspace, problems=tuple(problems), files_within=within
        )
    check_inputs(root, inputs, problems)
    shown = below(data, "modules/modules.json")
    manifest = read_manifest(directory / shown, shown, problems)
    tree = ModuleTree(reader, manifest, problems, release=options.release)
    main = tree.read(root, inputs, workspace)
    tested = {
        (test.file, run.name): found
        for test in root.tests
        for run in test.runs
        if (found := tree.read_tested(test.file, run, workspace)) is not None
    }
    return msgspec.structs.replace(
        main, tested=tested, problems=tuple(dict.fromkeys(problems)), for_program=options.for_program
    )


def _unknown_input(variable: Variable, reason: str) -> InputValue:
    bad = Bad(f"var.{variable.name} is not known: {reason}", variable.range, UnknownKind.VARIABLE)
    return InputValue(variable.name, "", bad)


def _chosen(data: Path) -> str:
    try:
        return read_bounded(data / "environment", _LONGEST_NAME).decode("utf-8").strip() or "default"
    except (OSError, UnicodeDecodeError):
        return "default"


# Call trees can have far more modules than directories: each level may call the next one twice.
_MOST_MODULES: Final = 10_000


class ModuleTree:
    """The modules found so far, parents before children.

    `place` is the path of the root in the manifest of installed modules, empty except for the modules of test runs.
    `release` is the release that reads the configuration, None if only `required_version` limits it.
    """

    def __init__(
        self,
        reader: DirectoryReader,
        manifest: Mapping[str, str],
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
        within = self._reader.files_within
        # The scope must find the modules that are added while reading.
        growing = Configuration(str(directory), self._modules, self._missing, inputs, workspace, files_within=within)
        self._read_children(root_scope(growing), (_real(directory, root.directory),))
        return msgspec.structs.replace(growing, modules=self._with_children())

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
        """Read the modules that the module of `scope` calls, recursively. `above` are the callers' directories."""
        declarations = scope.module.declarations
        if declarations.directory not in self._checked:
            self._checked.add(declarations.directory)
            check_variables(declarations, self._problems)
            check_locals(declarations, self._problems)
            self._problems += unsupported(declarations, self._release, self._admitted(scope.module.path))
            if self._release is not None:
                check_required_versions(declarations, self._release, self._problems)
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
            directory = os.path.normpath(installed)
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
        return [release for release in self._releases(path, found) if not release.imports_in_modules]

    def _admitted(self, path: addrs.Module, *found: Declarations) -> list[Release]:
        """Return the releases that a module that was `found`, else read before, and the modules above it admit."""
        above = [self._modules.get(addrs.Module(path.names[:depth])) for depth in range(len(path.names) + 1)]
        declared = [*(module.declarations for module in above if module is not None), *found]
        return admitted_releases([version.text for each in declared for version in each.required_versions])

    def _source(self, scope: Scope, path: addrs.Module, call: ModuleCall) -> str | None:
        if call.source is None:
            detail = 'The argument "source" is required, but no definition was found.'
            self._miss(path, error(ProblemKind.MODULE, "Missing required argument", detail, call.range))
            return None
        place = call.source.expression.range
        if refused := self._refused_source(scope, path, call.source.expression):
            self._miss(path, refused)
            return None
        value = evaluate(call.source.expression, scope)
        if isinstance(value, Value) and isinstance(value.data, str):
            return value.data
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

    def _refused_source(self, scope: Scope, path: addrs.Module, source: Expression) -> Problem | None:
        """Return the error of the source of a module in every release that may read it; None if one accepts it."""
        if next(references(source), None) is None and next(calls(source), None) is None:
            return None
        releases = self._releases(path)
        if not releases or any(release.evaluated_sources for release in releases):
            return next(static_problems(scope.configuration, scope.module.path, source), None)
        detail = (
            f"{releases[-1].title} does not evaluate the source of a module: it must be a quoted string without "
            "references and functions. OpenTofu 1.8 and Terraform 1.15 evaluate it."
        )
        return error(ProblemKind.EVALUATION, "Variables not allowed", detail, source.range)

    def _releases(self, path: addrs.Module, *inside: Declarations) -> list[Release]:
        """Return the given release, or those that a module and the modules above it admit."""
        return self._admitted(path, *inside) if self._release is None else [self._release]

    def _miss(self, path: addrs.Module, problem: Problem) -> None:
        self._missing[path] = f"{problem.summary}: {problem.detail}"
        self._report(problem)

    def _report(self, problem: Problem) -> None:
        # A module reports the same problems for each of its calls.
        if (problem.summary, problem.range) not in self._reported:
            self._reported.add((problem.summary, problem.range))
            self._problems.append(problem)


def _real(root: Path, directory: str) -> str:
    return os.path.realpath(root / directory)


_LARGEST: Final = 16 * 1024 * 1024


class _InstalledModule(msgspec.Struct):
    # The path of the call: `a.b`.
    key: str = msgspec.field(name="Key")
    source: str = msgspec.field(name="Source", default="")
    directory: str = msgspec.field(name="Dir", default="")


class _Manifest(msgspec.Struct):
    modules: list[_InstalledModule] = msgspec.field(name="Modules", default_factory=list)


def read_manifest(path: Path, shown: str, problems: list[Problem]) -> dict[str, str]:
    """Return the directories of installed modules by the path of their call; empty if the file does not exist."""
    try:
        content = read_bounded(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as failure:
        problems.append(_unreadable(shown, failure.strerror or str(failure)))
        return {}
    if not content:
        return {}
    try:
        found = msgspec.json.decode(content, type=_Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as failure:
        problems.append(_unreadable(shown, str(failure)))
        return {}
    return {record.key: record.directory for record in found.modules}


def _unreadable(shown: str, why: str) -> Problem:
    detail = f"{shown} could not be read ({why}). Only modules with a local path are loaded."
    return warning(
        ProblemKind.MODULE,
        "Failed to read module manifest",
        detail,
        Range(file=shown, line=1, column=1, end_line=1, end_column=1, start=0, stop=0),
    )


_PART: Final = re.compile(r"\s*+(?P<operator>!=|>=|<=|~>|=|>|<|)\s*+v?(?P<version>\d+(?:\.\d+)*)[^,\s]*\s*", re.ASCII)
_COMPARISONS: Final[Mapping[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]]] = {
    "=": operators.eq, "!=": operators.ne, ">=": operators.ge, "<=": operators.le, ">": operators.gt, "<": operators.lt
}  # fmt: skip
# A patch number higher than any release's.
_LAST_PATCH: Final = 10**6


def admitted_releases(constraints: Iterable[str]) -> list[Release]:
    """Return the known releases of which some patch release satisfies all version constraints.

    An unreadable constraint admits all releases: it has a separate finding.
    """
    found = [_PART.fullmatch(part) for text in constraints for part in text.split(",")]
    parts = [
        (part["operator"] or "=", tuple(map(int, part["version"].split(".")))) for part in found if part is not None
    ]
    return [release for release in all_releases() if _admits(parts, release)]


def _admits(parts: Sequence[tuple[str, tuple[int, ...]]], release: Release) -> bool:
    named = {_padded(version)[2] for _, version in parts if _padded(version)[:2] == release.version}
    patches = {0, 1, _LAST_PATCH, *named, *(patch + 1 for patch in named)}
    return any(all(_satisfies((*release.version, patch), *part) for part in parts) for patch in patches)


def _satisfies(version: tuple[int, ...], operator: str, wanted: tuple[int, ...]) -> bool:
    bound = _padded(wanted)
    if operator in _COMPARISONS:
        return _COMPARISONS[operator](version, bound)
    # `~>`: all but the last of the numbers given must be equal.
    given = max(len(wanted) - 1, 1)
    return version >= bound and version[:given] == bound[:given]


def _padded(version: tuple[int, ...]) -> tuple[int, ...]:
    return (*version, 0, 0, 0)[:3]


def check_required_versions(declarations: Declarations, release: Release, problems: list[Problem]) -> None:
    """Add the constraints of one module that no version of a release satisfies.

    From 1.12 on, OpenTofu reads `required_version` in `.tofu` files only. Sources: OpenTofu v1.11.0
    `internal/configs/module.go`, v1.12.0 `internal/configs/diagnostics.go`.
    """
    ignores_tf = release.engine == "opentofu" and release.version >= (1, 12)
    for version in declarations.required_versions:
        if ignores_tf and not is_tofu_file(version.range.file):
            continue
        if release not in admitted_releases([version.text]):
            summary = "Incompatible module" if ignores_tf else f"Unsupported {release.engine_name} Core version"
            detail = f'{release.title} has no version that satisfies "{version.text}".'
            problems.append(error(ProblemKind.RELEASE, summary, detail, version.range))


def check_variables(declarations: Declarations, problems: list[Problem]) -> None:
    """Add the problems of the variable declarations of one module."""
    for variable in declarations.variables.values():
        constraint = TypeConstraint() if variable.type is None else read_variable_type(variable.type, evaluate_literal)
        problems += constraint.problems
        if variable.default is None:
            continue
        place = variable.default.range
        default = evaluate_literal(variable.default)
        if isinstance(default, Unknown):
            if default.problem is not None:
                problems.append(default.problem)
            continue
        summary = "Invalid default value for variable"
        try:
            found = constraint.apply(default)
        except ConversionError as mismatch:
            detail = f"This default value is not compatible with the variable's type constraint: {mismatch}."
            problems.append(error(ProblemKind.VARIABLE, summary, detail, place))
            continue
        if isinstance(found, Value) and found.data is None and not variable.nullable:
            detail = "A null default value is not valid when nullable=false."
            problems.append(error(ProblemKind.VARIABLE, summary, detail, place))


def check_inputs(root: Declarations, inputs: Mapping[str, InputValue], problems: list[Problem]) -> None:
    """Add a problem for each value of an undeclared variable, except for values in the environment."""
    for given in inputs.values():
        if given.name in root.variables or given.origin.startswith("TF_VAR_"):
            continue
        place = None if given.expression is None else given.expression.range
        detail = (
            f'The root module does not declare a variable named "{given.name}", but {given.origin} has a value for it.'
        )
        make = error if given.origin == "--var" else warning
        problems.append(make(ProblemKind.VARIABLE, "Value for undeclared variable", detail, place))


def check_locals(declarations: Declarations, problems: list[Problem]) -> None:
    """Add a problem for every cycle of local values, at its first value."""
    settled: set[str] = set()
    for name in declarations.locals:
        circle = _circle(declarations, name, settled)
        if circle:
            detail = f"local.{circle[0]} is self referential: {' → '.join(f'local.{each}' for each in circle)}."
            place = declarations.locals[circle[0]].range
            problems.append(error(ProblemKind.EVALUATION, "Circular reference", detail, place))


def _circle(declarations: Declarations, start: str, settled: set[str]) -> list[str]:
    """Return the first cycle reached from a local value, as names with the first one repeated at the end."""
    way: list[str] = []
    waiting = [(start, False)]
    found: list[str] = []
    while waiting:
        name, done = waiting.pop()
        if done:
            way.pop()
            settled.add(name)
        elif name in way:
            found = found or [*way[way.index(name) :], name]
        elif name not in settled:
            way.append(name)
            waiting.append((name, True))
            waiting += [(other, False) for other in _needed(declarations, name)]
    return found


def _needed(declarations: Declarations, name: str) -> list[str]:
    found = [
        step.name
        for reference in references(declarations.locals[name].expression)
        if reference.root == "local" and reference.steps and isinstance(step := reference.steps[0], AttributeAccess)
    ]
    return [other for other in dict.fromkeys(found) if other in declarations.locals]
