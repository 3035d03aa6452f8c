"""Loads the configuration in a plan file, writes it as JSON, and compares it with one on disk.

The configuration is a stranger's: it is loaded from a private folder that has only the files of the plan file, without
the environment, and its functions read no files.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from msgspec import Raw, json
from msgspec.structs import replace

from statefmt.configuration import Configuration, LoadOptions, VariableOption, load, root_scope
from statefmt.configuration.directory import file_names, list_files, read_inputs
from statefmt.configuration.model import Declarations, ModuleConfiguration
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.evaluate import evaluate_literal
from statefmt.hcl.source import Problem
from statefmt.hcl.value import Part, Value, to_plain, unmarked_within
from statefmt.lifecycle.plan import PlanError, ShownPlan
from statefmt.lifecycle.plan_files._messages import parse_message
from statefmt.lifecycle.plan_files.archive import ModuleSource, PlanArchive, open_archive
from statefmt.model.addrs import ConfigProviderConfig, ConfigResource, Module, Resource
from statefmt.model.cty import CtyError
from statefmt.model.cty.data import CtyValue
from statefmt.model.cty.values import write_value
from statefmt.model.errors import StoreError
from statefmt.store.files import read_bounded

# Modules may be beside the root module, as in ../modules/network.
_MOST_UP: Final = 32
_MANIFEST: Final = ".terraform/modules/modules.json"
# Configurations, and their files, are smaller.
_MOST_BYTES: Final = 256 << 20
_LARGEST: Final = 16 << 20


def load_configuration(
    archive: PlanArchive, variables: tuple[VariableOption, ...], workspace: str, name: str
) -> Configuration:
    """Load the configuration in a plan file with the values of its variables. Raises PlanError if it has none.

    `name` is that of the plan file, for messages.
    """
    with _folder(archive) as folder:
        options = LoadOptions(variables=variables, workspace=workspace or "default", is_confined=True, allowed_paths=())
        found = load(folder, options)
    return replace(found, directory=name, files_within=())


@contextmanager
def _folder(archive: PlanArchive) -> Iterator[Path]:
    """Yield a folder with the modules of a plan file, which is deleted afterwards."""
    if sum(map(len, archive.configuration.values())) > _MOST_BYTES:
        raise PlanError(f"the configuration in the plan file has more than {_MOST_BYTES:,} bytes")
    modules = archive.modules()
    directories = {module.key: _directory(module) for module in modules}
    up = max([directory.split("/").count("..") for directory in directories.values()], default=0)
    with tempfile.TemporaryDirectory(prefix="statetool-") as made:
        # It marks the folder that nothing leaves.
        (Path(made) / ".git").mkdir()
        root = Path(made, *["root"] * (up + 1))
        root.mkdir(parents=True)
        for module in modules:
            folder = Path(os.path.normpath(root / directories[module.key]))
            folder.mkdir(parents=True, exist_ok=True)
            for name, content in archive.files(module).items():
                if name not in ("", ".", "..") and Path(name).name == name and "\0" not in name:
                    (folder / name).write_bytes(content)
        manifest = root / _MANIFEST
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_bytes(
            json.encode(
                {"Modules": [{"Key": one.key, "Source": one.source, "Dir": directories[one.key]} for one in modules]}
            )
        )
        yield root


def _directory(module: ModuleSource) -> str:
    """Return the normalized directory of a module. Raises PlanError if it is not relative, or too far away."""
    found = os.path.normpath(module.directory or ".").replace("\\", "/")
    if Path(found).is_absolute() or ":" in found or "\0" in found or found.split("/").count("..") > _MOST_UP:
        raise PlanError(f"the plan file has the module {module.key!r} in the invalid directory {module.directory!r}")
    return found


def configuration_document(configuration: Configuration) -> dict[str, Any]:
    """Return the member `configuration` of the JSON form, without expressions.

    It has the addresses of resources, the calls of modules, the variables, and the provider blocks with their constant
    strings.
    """
    references = ProviderReferences(configuration)
    providers = {_provider_key(config): _provider(config, references) for config in references.tree.declared}
    return {
        **({"provider_config": providers} if providers else {}),
        "root_module": _module(configuration.root, configuration, references),
    }


def _provider_key(config: ConfigProviderConfig) -> str:
    name = f"{config.provider.type}.{config.alias}" if config.alias else config.provider.type
    return name if config.module.is_root else f"{config.module}:{name}"


def _provider(config: ConfigProviderConfig, references: ProviderReferences) -> dict[str, Any]:
    block = references.tree.declared[config]
    expressions = _nested(
        {
            path: value.data
            for path, expression in block.settings
            if expression is not None
            and isinstance(value := evaluate_literal(expression), Value)
            and isinstance(value.data, str)
        }
    )
    return {
        "name": block.name,
        "full_name": str(config.provider),
        **({"alias": config.alias} if config.alias else {}),
        **({} if config.module.is_root else {"module_address": str(config.module)}),
        **({"expressions": expressions} if expressions else {}),
    }


def _nested(settings: Mapping[str, str]) -> dict[str, Any]:
    """Return constants by their paths (`assume_role[0].role_arn`) as nested blocks."""
    found: dict[str, Any] = {}
    for path, constant in settings.items():
        *blocks, name = path.split(".")
        inner = found
        for block in blocks:
            label, _, number = block.rstrip("]").partition("[")
            listed = inner.setdefault(label, [])
            while len(listed) <= int(number or 0):
                listed.append({})
            inner = listed[int(number or 0)]
        inner[name] = {"constant_value": constant}
    return found


def _module(
    module: ModuleConfiguration, configuration: Configuration, references: ProviderReferences
) -> dict[str, Any]:
    declarations = module.declarations
    resources = [
        {
            "address": str(block.address),
            "mode": block.mode.value,
            "type": block.type,
            "name": block.name,
            **_configured_by(module.path, block.address, references),
        }
        for block in declarations.resources
    ]
    known = defaults(declarations)
    variables = {
        name: {**({"default": known[name]} if name in known else {}), **({"sensitive": True} if one.sensitive else {})}
        for name, one in declarations.variables.items()
    }
    calls = {
        name: {"module": _module(configuration.modules[module.path.child(name)], configuration, references)}
        for name in module.children
    }
    members = {"resources": resources, "module_calls": calls, "variables": variables}
    return {name: value for name, value in members.items() if value}


def _configured_by(module: Module, resource: Resource, references: ProviderReferences) -> dict[str, str]:
    found = references.block_binding(ConfigResource(module, resource))
    return {} if isinstance(found, Problem) else {"provider_config_key": _provider_key(found.config)}


def json_of(part: Part) -> Raw | None:
    """Return a value as JSON; None if it is not known."""
    if not isinstance(part, Value):
        return None
    try:
        return Raw(write_value(CtyValue(part.type, to_plain(unmarked_within(part)))))
    except CtyError:
        return None


def defaults(declarations: Declarations) -> dict[str, Raw]:
    """Return the defaults of the variables of a module, converted to their types, as JSON."""
    root = Module()
    scope = root_scope(Configuration(declarations.directory, {root: ModuleConfiguration(root, declarations)}))
    found = {
        name: json_of(scope.variable(name))
        for name, variable in declarations.variables.items()
        if variable.default is not None
    }
    return {name: value for name, value in found.items() if value is not None}


def configuration_in_plan(plan: ShownPlan, name: str, other: ShownPlan | None = None) -> Configuration:
    """Load the configuration in a plan file, which was read as `plan`, with the values of its variables.

    `name` is that of the file. Raises StoreError, also if the plan file `other` has another configuration.
    """
    try:
        archive = open_archive(plan.file)
        if other is not None and other.file != plan.file:
            another = open_archive(other.file)
            if archive.configuration != another.configuration or plan.variables != other.variables:
                raise PlanError("the two plan files have different configurations or variables")
        return load_configuration(
            archive, _options(plan, name), parse_message("Plan", archive.plan).backend.workspace, name
        )
    except PlanError as error:
        raise StoreError(f"{name}: {error}") from None


def _options(plan: ShownPlan, name: str) -> tuple[VariableOption, ...]:
    return (VariableOption(file=name, document=json.encode(plan.variables)),) if plan.variables else ()


def refuse_other_configuration(plan: ShownPlan, given: Configuration, name: str) -> None:
    """Raise StoreError unless a configuration on disk is that in the plan file of `plan`, with the same variables.

    `name` is that of the plan file. Modules that the directory does not have installed do not count.
    """
    try:
        files = _differences(open_archive(plan.file), Path(given.directory))
    except PlanError as error:
        raise StoreError(f"{name}: {error}") from None
    if files:
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        raise StoreError(
            f"{given.directory}: this is not the configuration in the plan file {name}: {files[0]}{more} differs; "
            "leave it out to use the configuration in the plan file"
        )
    scope = root_scope(given)
    in_plan = root_scope(replace(given, inputs=read_inputs(None, {}, _options(plan, name), [])))
    others = [
        variable
        for variable in plan.variables
        if variable in given.root.declarations.variables
        and json_of(scope.variable(variable)) != json_of(in_plan.variable(variable))
    ]
    if others:
        raise StoreError(
            f"{name}: the plan was made with other values of the variables {', '.join(others)}; "
            "leave them out to use the values in the plan file"
        )


def _differences(archive: PlanArchive, directory: Path) -> list[str]:
    """Return the files that differ, relative to the root module. Raises PlanError."""
    found: dict[str, None] = {}
    for module in archive.modules():
        inside, place = archive.files(module), directory / _directory(module)
        names = file_names(place)
        if names is None and module.key:
            continue
        listing = list_files([name for name in names or () if archive.is_opentofu or ".tofu" not in name])
        for name in sorted({*inside, *listing.primary, *listing.overrides}):
            if inside.get(name) != _content(place / name):
                found[os.path.normpath(f"{_directory(module)}/{name}")] = None
    return list(found)


def _content(file: Path) -> bytes | None:
    try:
        return read_bounded(file, _LARGEST)
    except OSError:
        return None
