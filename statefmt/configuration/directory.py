"""Selects the configuration files of a directory, and reads their declarations and their variable definitions.

Source: OpenTofu `internal/configs/parser_config_dir.go`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from statefmt.configuration._constructs import constructs
from statefmt.configuration._decoding import DirectoryDecoder, read_query_file, read_test_file
from statefmt.configuration._provider_blocks import FileReader
from statefmt.configuration.model import Declarations, InputValue, ProviderUse, TestFile
from statefmt.formats.releases import Release
from statefmt.hcl.source import Problem, ProblemKind, Range, SourceText, error, warning
from statefmt.hcl.syntax import Body, attributes
from statefmt.hcl.syntax.json import LARGEST_FILE, read_json_file
from statefmt.hcl.syntax.native import read_file
from statefmt.store.files import is_inside, read_bounded

_PLAIN: Final = (".tf", ".tofu", ".tf.json", ".tofu.json")
_TESTS: Final = (".tftest.hcl", ".tofutest.hcl", ".tftest.json", ".tofutest.json")
# Terraform 1.14 reads these in the root module only.
_QUERIES: Final = (".tfquery.hcl", ".tfquery.json")
# Terraform Stacks: not files of a module, and read by no release of Terraform itself.
_STACKS: Final = (".tfcomponent.hcl", ".tfcomponent.json", ".tfstack.hcl", ".tfstack.json", ".tfdeploy.hcl")
# The kinds of problems of a file that could not be read in full.
UNREAD: Final = (ProblemKind.SYNTAX, ProblemKind.UNREADABLE)
_UTF8_MARK: Final = b"\xef\xbb\xbf"


class Listing(NamedTuple):
    """The names of configuration files by kind, each list sorted."""

    primary: tuple[str, ...]
    overrides: tuple[str, ...]
    tests: tuple[str, ...]
    queries: tuple[str, ...]


def list_files(names: Sequence[str]) -> Listing:
    """Sort the file names of a directory by kind; omit shadowed and hidden files.

    `a.tofu` shadows `a.tf`, and likewise for the other three endings. Names that begin with a dot, end with `~`, or
    begin and end with `#` belong to editors.
    """
    primary: list[str] = []
    overrides: list[str] = []
    tests: list[str] = []
    queries: list[str] = []
    for name in sorted(names, key=str.encode):
        if name.startswith(".") or name.endswith("~") or (name.startswith("#") and name.endswith("#")):
            continue
        if name.endswith(_TESTS):
            tests.append(name)
        elif name.endswith(_QUERIES):
            queries.append(name)
        elif name.endswith(_PLAIN):
            base = name[: -len(next(ending for ending in _PLAIN if name.endswith(ending)))]
            (overrides if base == "override" or base.endswith("_override") else primary).append(name)
    return Listing(_unshadowed(primary), _unshadowed(overrides), _unshadowed(tests), tuple(queries))


def _unshadowed(names: list[str]) -> tuple[str, ...]:
    shadowed = {
        name.removesuffix(ending) + ending.replace(".tofu", ".tf", 1)
        for name in names
        for ending in (".tofu", ".tofu.json", ".tofutest.hcl", ".tofutest.json")
        if name.endswith(ending)
    }
    return tuple(name for name in names if name not in shadowed)


def is_tofu_file(name: str) -> bool:
    """Return whether a file is one that only OpenTofu reads."""
    return name.endswith((".tofu", ".tofu.json"))


def _start(file: str) -> Range:
    return Range(file=file, line=1, column=1, end_line=1, end_column=1, start=0, stop=0)


def read_source(path: Path, shown: str, problems: list[Problem], *, pipes: bool = False) -> SourceText | None:
    """Read a file that findings call `shown`; return None and add a problem if it cannot be read.

    Reads only regular files, since others may never end; with `pipes`, also a shell's process substitutions.
    """
    try:
        content = read_bounded(path, LARGEST_FILE, pipes=pipes)
        return SourceText(shown, content.removeprefix(_UTF8_MARK))
    except OSError as failure:
        why = failure.strerror or str(failure)
    detail = f"The file {shown} could not be read: {why}."
    problems.append(error(ProblemKind.UNREADABLE, "Failed to read file", detail, _start(shown)))
    return None


def read_body(source: SourceText, problems: list[Problem]) -> Body:
    """Parse a file in the syntax that its name implies."""
    return read_json_file(source, problems) if source.file.endswith(".json") else read_file(source, problems)


def repository(directory: Path, home: str) -> str:
    """Return the nearest folder around a directory that has `.git`, else the directory, as a real path.

    Ignores a repository that contains the home directory: it would contain the user's keys.
    """
    real = Path(os.path.realpath(directory))
    found = next((folder for folder in (real, *real.parents) if (folder / ".git").exists()), real)
    return str(real if home and is_inside(home, found) else found)


class DirectoryReader:
    """Reads directories below one root, each only once, however often it is called as a module.

    `files_within` are the folders whose files functions may read, `modules_within` those with modules, None for all.
    `release` is the release that reads the configuration, None if any may.
    """

    def __init__(
        self,
        root: Path,
        problems: list[Problem],
        files_within: tuple[str, ...] | None = None,
        contents: Mapping[str, bytes] = MappingProxyType({}),
        modules_within: tuple[str, ...] | None = None,
        release: Release | None = None,
    ) -> None:
        self.root = root
        self.files_within = files_within
        self._problems = problems
        self._contents = contents
        self._modules_within = modules_within
        self._release = release
        self._read: dict[str, Declarations | None] = {}

    def read(self, directory: str, test_directory: str | None = None) -> Declarations | None:
        """Return the declarations of a directory, a path relative to the root; None if it cannot be listed."""
        if directory not in self._read:
            self._read[directory] = self._read_once(directory, test_directory)
        return self._read[directory]

    def _read_once(self, directory: str, test_directory: str | None) -> Declarations | None:
        place = self.root / directory
        if self._modules_within is not None and not is_inside(place, *self._modules_within):
            return None
        names = file_names(place)
        if names is None:
            return None
        before = len(self._problems)
        listing = list_files(self._for_release(directory, names))
        decoder = DirectoryDecoder(directory)
        for name in listing.primary:
            if (found := self._file(directory, name)) is not None:
                decoder.add(*found)
        for name in listing.overrides:
            if (found := self._file(directory, name)) is not None:
                decoder.override(*found)
        incomplete = any(problem.kind in UNREAD for problem in self._problems[before:])
        files = tuple(below(directory, name) for name in (*listing.primary, *listing.overrides))
        lists: tuple[ProviderUse, ...] = ()
        if test_directory is not None:
            queries = (self._file(directory, name) for name in listing.queries)
            lists = tuple(use for each in queries if each is not None for use in read_query_file(*each))
        declarations = decoder.result(files, incomplete=incomplete, lists=lists)
        if test_directory is None:
            return declarations
        return msgspec.structs.replace(declarations, tests=self._tests(directory, listing.tests, test_directory))

    def _for_release(self, directory: str, names: Sequence[str]) -> Sequence[str]:
        """Return the names without files that the release ignores, which are reported."""
        if self._release is None or constructs()["tofu files"].is_supported(self._release):
            return names
        for name in sorted(name for name in names if is_tofu_file(name) and not name.startswith(".")):
            shown = below(directory, name)
            detail = f"{self._release.title} ignores {shown}: the names of its files end with .tf or .tf.json."
            self._problems.append(warning(ProblemKind.RELEASE, "File not read by the release", detail, _start(shown)))
        return [name for name in names if not is_tofu_file(name)]

    def _file(self, directory: str, name: str) -> tuple[FileReader, Body] | None:
        shown = below(directory, name)
        content = self._contents.get(shown)
        source = (
            read_source(self.root / directory / name, shown, self._problems)
            if content is None
            else SourceText(shown, content)
        )
        if source is None:
            return None
        before = len(self._problems)
        body = read_body(source, self._problems)
        is_broken = len(self._problems) > before
        return FileReader(source, self._problems, json=name.endswith(".json"), is_broken=is_broken), body

    def _tests(self, directory: str, beside: tuple[str, ...], test_directory: str) -> tuple[TestFile, ...]:
        within = below(directory, test_directory)
        inside = list_files(file_names(self.root / within) or ()).tests
        places = [*((within, name) for name in inside), *((directory, name) for name in beside)]
        found = (self._file(place, name) for place, name in places)
        return tuple(read_test_file(*each) for each in found if each is not None)


def stack_files(directory: Path) -> list[str]:
    """Return the names of the files of a stack in a directory."""
    return sorted(name for name in file_names(directory) or () if name.endswith(_STACKS))


def below(directory: str, name: str) -> str:
    """Return the normalized path of `name`, which may begin with `../`, in a directory; `.` for the root."""
    return os.path.normpath(f"{directory}/{name}")


def file_names(directory: Path) -> list[str] | None:
    """Return the names of the files in a directory; None if it cannot be listed."""
    try:
        with os.scandir(directory) as entries:
            return [entry.name for entry in entries if not _is_directory(entry)]
    except OSError:
        return None


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A circular link; reading the file reports it.
        return False


_ENVIRONMENT: Final = "TF_VAR_"
_DEFAULT: Final = "terraform.tfvars"
_AUTOMATIC: Final = (".auto.tfvars", ".auto.tfvars.json")


class VariableOption(msgspec.Struct, frozen=True):
    """One `--var NAME=VALUE` (`name` and `value`) or `--var-file PATH` (`file`) option.

    With `document`, the values come from this JSON object, and `file` only names it in messages.
    """

    name: str = ""
    value: str = ""
    file: str = ""
    document: bytes = b""


def read_inputs(
    root: Path | None,
    environment: Mapping[str, str],
    options: tuple[VariableOption, ...],
    problems: list[Problem],
    files_within: tuple[str, ...] | None = None,
) -> dict[str, InputValue]:
    """Return the effective value of each variable of the root module in a directory.

    Without a directory, only the environment and the options count. Omits files of the directory that are links out
    of the folders `files_within`; None reads all. Files of options are relative to the working directory.
    """
    found: dict[str, InputValue] = {}
    for name, value in environment.items():
        if name.startswith(_ENVIRONMENT):
            variable = name.removeprefix(_ENVIRONMENT)
            found[variable] = InputValue(variable, name, text=value)
    if root is not None:
        for file in variable_files(root):
            if files_within is None or is_inside(root / file, *files_within):
                found |= _file_values(root / file, file, problems)
    for option in options:
        if option.document:
            source = SourceText(option.file, option.document)
            found |= _values(read_json_file(source, problems), option.file)
        elif option.file:
            found |= _file_values(Path(option.file), option.file, problems, pipes=True)
        else:
            found[option.name] = InputValue(option.name, "--var", text=option.value)
    return found


def variable_files(root: Path) -> list[str]:
    """Return the names of the variable files that are read without an option, in their order."""
    try:
        names = sorted((path.name for path in root.iterdir()), key=os.fsencode)
    except OSError:
        return []
    defaults = [name for name in (_DEFAULT, f"{_DEFAULT}.json") if name in names]
    return defaults + [name for name in names if name.endswith(_AUTOMATIC)]


def is_variable_file(name: str) -> bool:
    """Return whether a file in the root module is read for values of variables without an option."""
    return "/" not in name and (name in (_DEFAULT, f"{_DEFAULT}.json") or name.endswith(_AUTOMATIC))


def _file_values(path: Path, shown: str, problems: list[Problem], *, pipes: bool = False) -> dict[str, InputValue]:
    source = read_source(path, shown, problems, pipes=pipes)
    if source is None:
        return {}
    # A file with another name, such as a pipe, is JSON if it starts with a brace.
    if not shown.endswith((".json", ".tfvars")) and source.content.lstrip().startswith(b"{"):
        body: Body = read_json_file(source, problems)
    else:
        body = read_body(source, problems)
    if not shown.endswith(".json") and (declared := body.blocks("variable", 1)):
        detail = (
            "A variable file assigns values to variables that are declared elsewhere. Move this block to a "
            f"configuration file, and set the value here with: {declared[0].labels[0]} = <value>"
        )
        summary = "Variable declaration in .tfvars file"
        problems.append(error(ProblemKind.VARIABLE, summary, detail, declared[0].type_range))
    return _values(body, shown)


def _values(body: Body, shown: str) -> dict[str, InputValue]:
    return {
        argument.name: InputValue(argument.name, shown, argument.expression)
        for argument in attributes(body, literal=True)
    }
