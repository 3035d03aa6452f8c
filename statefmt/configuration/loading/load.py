"""Loads a whole configuration: the root directory, the values of its variables, and every module that it calls.

Source: OpenTofu `internal/configs/configload/loader_load.go`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from statefmt.configuration.checks.variables import check_inputs
from statefmt.configuration.loading._directory import DirectoryReader, below
from statefmt.configuration.loading._manifest import read_manifest
from statefmt.configuration.loading._module_tree import ModuleTree
from statefmt.configuration.loading.inputs import InputReader, VariableOption
from statefmt.configuration.model import Configuration, Declarations, ModuleConfiguration
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.model import addrs
from statefmt.store.files import read_bounded

if TYPE_CHECKING:
    from statefmt.formats.releases import Release

_LONGEST_NAME: Final = 4096


class LoadOptions(msgspec.Struct, frozen=True):
    """Options of `load`.

    `environment` may contain `TF_VAR_…`, `TF_DATA_DIR` and `TF_WORKSPACE`. `workspace` is the value of
    `terraform.workspace`; if None, TF_WORKSPACE is used, then the file `environment` in the data directory. Without
    `children`, only the root module is read, and its declarations are not checked. `for_program`: messages name
    arguments of the library, not options of the command line. `is_confined`: variable files in the directory are not
    read through links that lead out of it. `release` is the release that reads the configuration; if None, any release
    that `required_version` admits.
    """

    variables: tuple[VariableOption, ...] = ()
    environment: Mapping[str, str] = {}
    workspace: str | None = None
    test_directory: str = "tests"
    children: bool = True
    for_program: bool = False
    is_confined: bool = False
    release: Release | None = None


def load(directory: Path, options: LoadOptions | None = None) -> Configuration:
    """Load the configuration in a directory as far as it can be read; its `problems` say what is wrong.

    Ranges name files relative to `directory`, as OpenTofu does when it runs there (`main.tf`, `modules/a/main.tf`).
    Each directory is read once. Never raises because of the contents of a directory.
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
    inputs = InputReader(directory, problems, is_confined=options.is_confined).read(
        options.environment, options.variables
    )
    if not options.children:
        modules = {addrs.Module(): ModuleConfiguration(addrs.Module(), root)}
        return Configuration(str(directory), modules, inputs=inputs, workspace=workspace, problems=tuple(problems))
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
    return msgspec.structs.replace(main, tested=tested, problems=tuple(problems), for_program=options.for_program)


def _chosen(data: Path) -> str:
    try:
        return read_bounded(data / "environment", _LONGEST_NAME).decode("utf-8").strip() or "default"
    except (OSError, UnicodeDecodeError):
        return "default"
