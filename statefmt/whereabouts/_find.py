"""Finds the backend of a folder, its settings, and the location of the state of a workspace.

Source: OpenTofu `internal/command/meta_backend.go`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from statefmt.model.errors import StoreError
from statefmt.model.wording import Wording
from statefmt.store.backends.description import DEFAULT_WORKSPACE, BackendType, SettingValues
from statefmt.store.backends.options import BackendOptions, allowed_variables, may_name_place
from statefmt.store.backends.place import StatePlace, locations
from statefmt.store.backends.record import holds_state, recorded_backend
from statefmt.store.backends.settings import BackendSetting, GivenSetting, effective_settings
from statefmt.store.backends.types import backend_type
from statefmt.store.backends.workspace import WorkspaceChoice, chosen_workspace
from statefmt.store.small_files import is_inside, read_bounded

# TF_DATA_DIR names another.
_DATA: Final = ".terraform"
# What `init` records there, and the workspace that was selected.
_RECORD: Final = "terraform.tfstate"
_WORKSPACE: Final = "environment"
# Source: Terragrunt, `DefaultTerragruntConfigPath` and `DefaultTerragruntJSONConfigPath`.
_UNIT_FILES: Final = ("terragrunt.hcl", "terragrunt.hcl.json")
TERRAGRUNT_UNIT: Final = "Terragrunt unit"
_CONFIGURATIONS: Final = (".tf", ".tofu", ".tf.json", ".tofu.json")
# In bytes; a larger one is left to the reader of configurations.
_LARGEST_FILE: Final = 1 << 24


class BackendSource(StrEnum):
    """What names the backend of a folder."""

    RECORD = "record"  # what init recorded in the data directory
    BLOCK = "block"  # the backend or cloud block of the configuration
    URL = "url"  # a URL that names the state itself
    DEFAULT = "default"  # neither names one, so it is `local`


class FoundBackend(Struct, frozen=True):
    """The backend of a folder, with its settings as given; `place` is the file, and the line of a block, or the URL.

    With `is_backend` False, something else says where the state is, which statetool does not know or open: `type` is
    what a message calls it, such as `state_store "demo"`. An unknown declaration is not "none". `state_in_record` is
    the file of `init` if it holds a state, which blocks the folder.
    """

    folder: Path
    type: str
    source: BackendSource
    place: str
    given: tuple[GivenSetting, ...]
    workspace: WorkspaceChoice
    is_backend: bool = True
    state_in_record: str = ""


class FoundState(Struct, frozen=True):
    """Where the state of a folder and workspace is.

    `location` is a path, or a URL without credentials; None if the arguments in `missing` have no value. `settings`
    have secrets: show them only if they are not marked. `exact` as in StatePlace.
    """

    backend: FoundBackend
    settings: tuple[BackendSetting, ...]
    location: str | None
    missing: tuple[str, ...] = ()
    exact: str = ""

    @property
    def values(self) -> SettingValues:
        """The values of the settings by name."""
        return {setting.name: setting.value for setting in self.settings}

    @property
    def place(self) -> StatePlace:
        """The place of the state.

        Raises StoreError if arguments are missing, or if the location contains control characters: a repository must
        not write them to terminals and logs.
        """
        if self.location is None and not self.missing:
            raise StoreError(f"{self.backend.place}: statetool does not know where {self.backend.type} keeps the state")
        if self.location is None:
            names, them = " and ".join(self.missing), "it" if len(self.missing) == 1 else "them"
            raise StoreError(
                f"{self.backend.place}: the backend {self.backend.type!r} needs {names}; ",
                Wording(
                    f"set {them} with --backend-config, or run init first", f"set {them} in BackendOptions.settings"
                ),
            )
        if not self.location.isprintable():
            raise StoreError(
                f"{self.backend.place}: the location of the state, {self.location!r}, contains control characters"
            )
        return StatePlace(self.backend.type, self.backend.workspace.name, self.location, self.settings, self.exact)


def data_folder(folder: Path, environment: Mapping[str, str]) -> Path:
    """Return where `init` keeps what it records of a folder."""
    return folder / (environment.get("TF_DATA_DIR") or _DATA)


def _own_data_folder(folder: Path, environment: Mapping[str, str]) -> Path:
    """Return the data folder. Raises StoreError if a link makes files elsewhere those that `init` recorded here.

    A folder may be of a stranger, who must not decide that a command opens the state of another folder.
    """
    data = data_folder(folder, environment)
    if not environment.get("TF_DATA_DIR"):
        for path in (data / _RECORD, data / _WORKSPACE):
            if not is_inside(path, folder):
                raise StoreError(
                    f"{path}: a link leads out of the folder {folder}, so this is not what init recorded here; set "
                    "TF_DATA_DIR to the folder that it leads to, or ",
                    Wording("name the state with --state", "pass the path of the state to statefmt.open()"),
                )
    return data


def find_backend(folder: Path, environment: Mapping[str, str], options: BackendOptions | None = None) -> FoundBackend:
    """Return the backend of a folder: the one recorded, else that of the configuration, else `local`.

    With `--backend-config`, the configuration comes first, as for `init`. Raises StoreError if something that may name
    the backend cannot be read, and for a block that is invalid or has unknown values.
    """
    options = options or BackendOptions()
    if not options.settings:
        found = initialised_backend(folder, environment, options)
        if found.source is BackendSource.RECORD:
            return found
    found = configured_backend(folder, environment, options)
    record = data_folder(folder, environment) / _RECORD
    return structs.replace(found, state_in_record=str(record)) if holds_state(record) else found


def initialised_backend(
    folder: Path, environment: Mapping[str, str], options: BackendOptions | None = None
) -> FoundBackend:
    """Return the backend that `init` recorded in a folder, else `local`, whatever the configuration says by now."""
    data = _own_data_folder(folder, environment)
    workspace = chosen_workspace(data, environment, options.workspace if options else None)
    record = data / _RECORD
    recorded = recorded_backend(record)
    if recorded is None:
        return _never_local(FoundBackend(folder, "local", BackendSource.DEFAULT, "", (), workspace))
    found = FoundBackend(
        folder, recorded.type, BackendSource.RECORD, str(record), recorded.settings, workspace, recorded.is_backend
    )
    return _never_local(found)


def _never_local(found: FoundBackend) -> FoundBackend:
    """Return a Terragrunt unit in place of the backend `local`: its `terragrunt.hcl` decides where its state is."""
    for name in _UNIT_FILES if found.type == "local" else ():
        place = found.folder / name
        if os.path.isfile(place):  # noqa: PTH113 - Path.is_file raises if the folder may not be searched
            return structs.replace(
                found, type=TERRAGRUNT_UNIT, source=BackendSource.BLOCK, place=str(place), given=(), is_backend=False
            )
    return found


def configured_backend(
    folder: Path, environment: Mapping[str, str], options: BackendOptions | None = None
) -> FoundBackend:
    """Return the backend that the configuration of a folder names, else `local`, whatever `init` recorded."""
    options = options or BackendOptions()
    workspace = chosen_workspace(_own_data_folder(folder, environment), environment, options.workspace)
    if _may_have_block(folder):
        # Imported late: it parses a configuration.
        from statefmt.configuration.loading.backend_block import read_backend_block

        names = frozenset(option.partition("=")[0] for option in options.settings if "=" in option)
        allowed = allowed_variables(options, environment)
        block = read_backend_block(folder, environment, workspace.name, names, allowed)
        if block is not None:
            given = block.settings
            if options.settings and block.is_backend:
                from statefmt.whereabouts._options import given_settings

                given += given_settings(options.settings, known_backend(block.type))
            return _never_local(
                FoundBackend(folder, block.type, BackendSource.BLOCK, block.place, given, workspace, block.is_backend)
            )
    if options.settings:
        raise StoreError(
            f"{folder}: ",
            Wording("--backend-config sets", "settings are"),
            " arguments of a backend block, and the configuration here has none",
        )
    return _never_local(FoundBackend(folder, "local", BackendSource.DEFAULT, "", (), workspace))


def find_state(folder: Path, environment: Mapping[str, str], options: BackendOptions | None = None) -> FoundState:
    """Return where the state of a folder and workspace is. Raises what `find_backend` and `located` raise."""
    return located(find_backend(folder, environment, options), environment)


def located(found: FoundBackend, environment: Mapping[str, str]) -> FoundState:
    """Return where the state in a backend is.

    Of a backend that is not known, there is neither a location nor a setting. Raises StoreError for an argument that is
    not known, and for a workspace that cannot exist there.
    """
    if not found.is_backend or backend_type(found.type) is None:
        return FoundState(found, (), None)
    backend = known_backend(found.type)
    settings = effective_settings(backend, found.given, environment)
    values = {setting.name: setting.value for setting in settings}
    missing = tuple(name for name in backend.required if values.get(name) in (None, ""))
    workspace = found.workspace.name
    single = not backend.named_workspaces or bool(values.get(backend.only_default))
    if single and workspace != DEFAULT_WORKSPACE:
        raise StoreError(
            f"{found.workspace.place}: the backend {found.type!r} has only the workspace default, not {workspace!r}"
        )
    if missing:
        return FoundState(found, settings, None, missing)
    location, exact = locations(backend, settings, workspace, environment)
    return FoundState(found, settings, location, exact=exact)


def known_backend(name: str) -> BackendType:
    """Return a type of backend. Raises StoreError if it is not known."""
    found = backend_type(name)
    if found is None:
        raise StoreError(f"the backend {name!r} is not known to statetool")
    return found


def _may_have_block(folder: Path) -> bool:
    """Return whether a configuration file may say where the state is, or cannot be read."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - faster
    except OSError:
        return False
    for name in names:
        if name.endswith(_CONFIGURATIONS):
            try:
                content = read_bounded(folder / name, _LARGEST_FILE)
            except OSError:
                return True
            if may_name_place(content):
                return True
    return False
