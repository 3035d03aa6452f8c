"""Finds the backend of a folder, its settings, and the location of the state of a workspace.

Source: OpenTofu `internal/command/meta_backend.go`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, structs

from statefmt.model.errors import RemoteStateError, StoreError, Wording
from statefmt.store.backends.description import (
    DEFAULT_WORKSPACE,
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValue,
    SettingValues,
    WorkspaceChoice,
    WorkspaceSource,
    chosen_workspace,
)
from statefmt.store.backends.options import BackendOptions, allowed_variables, may_name_place
from statefmt.store.backends.settings import (
    OPTION_PLACE,
    BackendSetting,
    GivenSetting,
    SettingSource,
    StatePlace,
    effective_settings,
    locations,
)
from statefmt.store.backends.types import backend_type
from statefmt.store.files import is_inside, read_bounded
from statefmt.store.reading import reason_of

# The default; TF_DATA_DIR overrides it.
_DATA: Final = ".terraform"
# The record of `init`, and the selected workspace.
_RECORD: Final = "terraform.tfstate"
_WORKSPACE: Final = "environment"
# Source: Terragrunt, `DefaultTerragruntConfigPath` and `DefaultTerragruntJSONConfigPath`.
_UNIT_FILES: Final = ("terragrunt.hcl", "terragrunt.hcl.json")
TERRAGRUNT_UNIT: Final = "Terragrunt unit"
_CONFIGURATIONS: Final = (".tf", ".tofu", ".tf.json", ".tofu.json")
# In bytes; the configuration reader handles a larger file.
_LARGEST_FILE: Final = 1 << 24


class BackendSource(StrEnum):
    """The source of a folder's backend."""

    RECORD = "record"  # what init recorded in the data directory
    BLOCK = "block"  # the backend or cloud block of the configuration
    URL = "url"  # a URL of the state
    DEFAULT = "default"  # neither names one, so it is `local`


class FoundBackend(Struct, frozen=True):
    """The backend of a folder, with its settings as given; `place` is the file, and the line of a block, or the URL.

    With `is_backend` False, the place of the state comes from another declaration, which statetool does not support:
    `type` is its name in messages, such as `state_store "demo"`. `state_in_record` is the file of `init` if it holds a
    state: the engines then refuse the folder.
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
    """The place of the state of a folder and workspace.

    `location` is a path, or a URL without credentials; None if the arguments in `missing` have no value. `settings` may
    be secret: show only unmarked settings. `exact` is as in StatePlace.
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
    """Return the folder that holds the record of `init`."""
    return folder / (environment.get("TF_DATA_DIR") or _DATA)


def _own_data_folder(folder: Path, environment: Mapping[str, str]) -> Path:
    """Return the data folder. Raises StoreError if a link leads to files elsewhere.

    A folder may come from a stranger, who must not make a command open the state of another folder.
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
    """Return the backend of a folder: the recorded backend, else the configured backend, else `local`.

    With `--backend-config`, the configuration comes first, as for `init`. Raises StoreError if a file that may name the
    backend cannot be read, and for a block that is invalid or has unknown values.
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
    """Return the backend that `init` recorded in a folder, else `local`; ignores the configuration."""
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
    """Replace the backend `local` in a Terragrunt unit: its `terragrunt.hcl` decides where the state is."""
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
    """Return the backend in the configuration of a folder, else `local`; ignores the record of `init`."""
    options = options or BackendOptions()
    workspace = chosen_workspace(_own_data_folder(folder, environment), environment, options.workspace)
    if _may_have_block(folder):
        # Imported late: it parses a configuration.
        from statefmt.configuration.backend_block import read_backend_block

        names = frozenset(option.partition("=")[0] for option in options.settings if "=" in option)
        allowed = allowed_variables(options, environment)
        block = read_backend_block(folder, environment, workspace.name, names, allowed)
        if block is not None:
            given = block.settings
            if options.settings and block.is_backend:
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
    """Return the place of the state of a folder and workspace. Raises the errors of `find_backend` and `located`."""
    return located(find_backend(folder, environment, options), environment)


def located(found: FoundBackend, environment: Mapping[str, str]) -> FoundState:
    """Return the place of the state in a backend.

    An unknown backend has neither a location nor settings. Raises StoreError for an unknown argument, and for a
    workspace that the backend cannot have.
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
    """Return a type of backend. Raises StoreError if it is unknown."""
    found = backend_type(name)
    if found is None:
        raise StoreError(f"the backend {name!r} is not known to statetool")
    return found


def _may_have_block(folder: Path) -> bool:
    """Return whether a configuration file may configure a backend, or cannot be read."""
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


def given_settings(options: Iterable[str], backend: BackendType) -> tuple[GivenSetting, ...]:
    """Return the settings of the options, in their order. Raises StoreError, without values."""
    found: list[GivenSetting] = []
    for option in options:
        name, equals, text = option.partition("=")
        if equals:
            value = _value(name, text, backend.arguments)
            found.append(GivenSetting(name, value, SettingSource.OPTION, OPTION_PLACE))
        else:
            # Imported late: it parses a configuration.
            from statefmt.configuration.backend_block import read_settings_file

            found += read_settings_file(option)
    return tuple(found)


def _value(name: str, text: str, arguments: Iterable[BackendArgument]) -> SettingValue:
    """Return the value of KEY=VALUE: an expression if the argument is structured, else a string."""
    argument = next((one for one in arguments if one.name == name), None)
    if argument is None or argument.kind is not ArgumentKind.STRUCTURE:
        return text
    from statefmt.configuration.backend_block import literal_value

    return literal_value(text, f"--backend-config: {name}")


# In bytes.
_LARGEST_LOCK_FILE: Final = 1 << 24
# Declarations that only Terraform has.
_STATE_STORE: Final = "state_store"
_REMOTE: Final = "remote state"
# The program that installs providers from each public registry.
_PROGRAMS: Final = {b"registry.opentofu.org": "tofu", b"registry.terraform.io": "terraform"}


def folder_programs(folder: Path) -> tuple[str, ...]:
    """Return the program whose registry the dependency lock file names; both if it names neither or both."""
    try:
        locked = read_bounded(folder / ".terraform.lock.hcl", _LARGEST_LOCK_FILE)
    except OSError:
        locked = b""
    found = tuple(program for host, program in _PROGRAMS.items() if b'\nprovider "%s/' % host in b"\n" + locked)
    return found if len(found) == 1 else tuple(_PROGRAMS.values())


def unsupported(found: FoundBackend) -> RemoteStateError:
    """Return the error for a state in an unsupported backend; it names the programs of the folder."""
    asked = found.workspace.name if found.workspace.source is WorkspaceSource.OPTION else ""
    folder = "" if str(found.folder) == "." else str(found.folder)
    return RemoteStateError(found.type, programs_of(found), folder, asked, declared=declaration(found))


def programs_of(found: FoundBackend) -> tuple[str, ...]:
    """Return the programs that can open the state of a folder: some declarations are specific to a program."""
    if found.type == TERRAGRUNT_UNIT:
        return ("terragrunt",)
    if found.type.startswith((_STATE_STORE, _REMOTE)):
        return ("terraform",)
    return folder_programs(found.folder)


def declaration(found: FoundBackend) -> str:
    """Return a sentence about a declaration that is not a backend, without a full stop; "" for a backend."""
    if found.is_backend:
        return ""
    if found.type == TERRAGRUNT_UNIT:
        return f"{found.place}: this folder is a Terragrunt unit, and terragrunt decides where its state is"
    if found.type.startswith((_STATE_STORE, _REMOTE)):
        return f"{found.place}: the state of this folder is stored in {found.type}"
    return f"{found.place}: statetool does not know {found.type}, which may say where the state of this folder is"


# In bytes; `init` writes a few thousand.
_LARGEST_RECORD: Final = 1 << 24
_RECORD_VERSION: Final = 3
# The members of a record and of a state, which may be in the same file.
_MEMBERS: Final = frozenset({
    "version", "terraform_version", "serial", "lineage", "modules", "backend", "remote", "state_store", "outputs",
    "resources", "check_results",
})  # fmt: skip


class RecordedPlace(Struct, frozen=True):
    """The record of `init`: a backend, with its settings, or another declaration.

    `type` is the type of a backend or, with `is_backend` False, the name of the declaration in messages; that name
    contains a space, unlike every type of backend.
    """

    type: str
    settings: tuple[GivenSetting, ...] = ()
    is_backend: bool = True


def recorded_backend(path: Path) -> RecordedPlace | None:
    """Return the recorded place of the state; None without a record, or if the record has no place.

    Raises StoreError if the record cannot be read: the state may then be anywhere.
    """
    recorded = _record(path)
    backend = recorded.get("backend")
    if backend is None:
        return _other_place(recorded)
    kind = backend.get("type") if isinstance(backend, dict) else None
    config = backend.get("config") if isinstance(backend, dict) else None
    if not isinstance(kind, str) or not isinstance(config, (dict, type(None))):
        raise StoreError(f"{path}: this is not what init records; {_RESULT}")
    if not kind:
        return _other_place(recorded)
    given = (GivenSetting(name, value, SettingSource.RECORD, str(path)) for name, value in (config or {}).items())
    return RecordedPlace(kind, tuple(given))


def _other_place(recorded: dict[str, Any]) -> RecordedPlace | None:
    for name, shown in (("state_store", "state_store"), ("remote", "remote state (before Terraform 0.9)")):
        place = recorded.get(name)
        if place is not None:
            kind = place.get("type") if isinstance(place, dict) else None
            label = f'"{kind}"' if isinstance(kind, str) else "of an unknown type"
            return RecordedPlace(f"{shown} {label}", is_backend=False)
    for name, value in recorded.items():
        if name not in _MEMBERS and value not in (None, "", 0, False, [], {}):
            return RecordedPlace(f'the member "{name}"', is_backend=False)
    return None


def holds_state(path: Path) -> bool:
    """Return whether the file of `init` holds a state: the engines then refuse the folder.

    False if it cannot be read. Source: Terraform `internal/command/workdir/backend_state.go` (ParseBackendStateFile).
    """
    try:
        recorded = _record(path)
    except StoreError:
        return False
    version, modules = recorded.get("version"), recorded.get("modules")
    has_modules = isinstance(modules, list) and any(
        isinstance(module, dict) and (module.get("resources") or module.get("outputs")) for module in modules
    )
    return has_modules or (isinstance(version, int) and version > _RECORD_VERSION)


def _record(path: Path) -> dict[str, Any]:
    """Return the record of `init`; empty if there is none."""
    try:
        text = read_bounded(path, _LARGEST_RECORD)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise StoreError(f"{path}: {reason_of(error)}; {_RESULT}") from error
    if not text.strip():
        return {}
    import orjson

    try:
        recorded = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise StoreError(f"{path}: this is not valid JSON; {_RESULT}") from error
    if not isinstance(recorded, dict):
        raise StoreError(f"{path}: this is not what init records; {_RESULT}")
    return recorded


_RESULT: Final = "it may name the backend of the state; run init again, or name the state with --state"
