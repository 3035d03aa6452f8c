"""Defines the settings of a backend, each with its value and origin, and the place of a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, structs

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import (
    HIDDEN,
    ArgumentKind,
    BackendArgument,
    BackendType,
    SettingValue,
    SettingValues,
    text_of,
    without_credentials,
)
from statefmt.store.backends.types import backend_type

# As Go parses booleans.
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})

# The place of settings on the command line.
OPTION_PLACE: Final = "--backend-config"


class SettingSource(StrEnum):
    """The origin of a setting."""

    RECORD = "record"  # what init recorded in the data directory
    BLOCK = "block"  # the backend or cloud block of the configuration
    URL = "url"  # the name of the state
    FILE = "file"  # the name of the state, in a file that may come from a stranger
    OPTION = "option"
    ENVIRONMENT = "environment"
    DEFAULT = "default"


class GivenSetting(Struct, frozen=True):
    """A setting as written, with the file and line, or the option, as its `place`. A nested block is an object.

    `shown` is its value without secrets of the user, which a block may contain through variables; None without secrets.
    """

    name: str
    value: SettingValue
    source: SettingSource
    place: str
    sensitive: bool = False
    shown: SettingValue = None

    def __repr__(self) -> str:
        # Only the type of the backend determines which values are secret.
        return f"GivenSetting({self.name!r}, …, {self.place!r})"


class BackendSetting(Struct, frozen=True):
    """A setting that is in effect.

    The name of an argument in a nested block includes the block: `endpoints.s3`. `place` names the file and line, the
    URL, the option or the variable, "" for a default. A `secret` must not be shown; `shown` is as in GivenSetting.
    """

    name: str
    value: SettingValue
    source: SettingSource
    place: str = ""
    secret: bool = False
    shown: SettingValue = None

    @property
    def public(self) -> SettingValue:
        """The value without secrets of the user, which a block may contain through variables."""
        return self.value if self.shown is None else self.shown

    def __repr__(self) -> str:
        value = without_credentials(self.public) if isinstance(self.public, str) else self.public
        return f"BackendSetting({self.name!r}, {'…' if self.secret else repr(value)}, {self.place!r})"


def effective_settings(
    backend: BackendType, given: Iterable[GivenSetting], environment: Mapping[str, str]
) -> tuple[BackendSetting, ...]:
    """Return the settings in effect, in the order of the backend's arguments.

    Later settings of a name replace earlier settings; without a value, the environment applies, then the default.
    Raises StoreError for an unknown argument, and for a value of the wrong type; no message contains a value.
    """
    known = dict(named_arguments(backend.arguments))
    values: dict[str, GivenSetting] = {}
    for setting in given:
        for part in _flat(setting, backend, known):
            values[part.name] = part
    found: list[BackendSetting] = []
    for name, argument in known.items():
        if argument.parts:
            continue
        one = values.get(name)
        if one is not None and one.value is not None:
            secret = argument.secret or one.sensitive
            value = _converted(one.value, argument, f"{one.place}: {name}")
            found.append(BackendSetting(name, value, one.source, one.place, secret, _shown(one.shown, argument)))
            continue
        variable = next((variable for variable in argument.environment if environment.get(variable)), None)
        if variable is not None:
            converted = _converted(environment[variable], argument, variable)
            found.append(BackendSetting(name, converted, SettingSource.ENVIRONMENT, variable, argument.secret))
        elif argument.default is not None:
            found.append(BackendSetting(name, argument.default, SettingSource.DEFAULT))
    return tuple(found)


def named_arguments(arguments: Iterable[BackendArgument], prefix: str = "") -> Iterable[tuple[str, BackendArgument]]:
    """Yield arguments, including those of nested blocks, by names such as `endpoints.s3`."""
    for argument in arguments:
        yield prefix + argument.name, argument
        yield from named_arguments(argument.parts, f"{prefix}{argument.name}.")


def _flat(setting: GivenSetting, backend: BackendType, known: Mapping[str, BackendArgument]) -> Iterable[GivenSetting]:
    """Yield the setting, or each setting in a nested block. Raises StoreError for an unknown setting."""
    if setting.value is None:
        # A record has the arguments of the release that wrote it.
        return
    argument = known.get(setting.name)
    if argument is None:
        what = "the cloud block" if backend.name == "cloud" else f"the backend {backend.name!r}"
        raise StoreError(f"{setting.place}: {what} has no argument {setting.name!r}")
    if not argument.parts:
        yield setting
        return
    value: SettingValue = setting.value
    if isinstance(value, list) and len(value) <= 1:
        # A record contains a repeatable nested block as a list.
        value = value[0] if value else {}
    if not isinstance(value, dict):
        raise StoreError(f"{setting.place}: {setting.name} must be a block or an object")
    for name, part in value.items():
        shown = setting.shown.get(name) if isinstance(setting.shown, dict) else setting.shown
        inner = GivenSetting(f"{setting.name}.{name}", part, setting.source, setting.place, setting.sensitive, shown)
        yield from _flat(inner, backend, known)


def _shown(value: SettingValue, argument: BackendArgument) -> SettingValue:
    try:
        return None if value is None else _converted(value, argument, "")
    except StoreError:
        return HIDDEN


def _converted(value: SettingValue, argument: BackendArgument, place: str) -> SettingValue:
    """Convert a value to the type of the argument. Raises StoreError without the value, which may be a secret."""
    match argument.kind:
        case ArgumentKind.TEXT if isinstance(value, str):
            return value
        case ArgumentKind.TEXT if isinstance(value, bool):
            return "true" if value else "false"
        case ArgumentKind.TEXT if isinstance(value, (int, float)):
            return str(value)
        case ArgumentKind.TRUTH if isinstance(value, bool):
            return value
        case ArgumentKind.TRUTH if isinstance(value, str) and value in _TRUE | _FALSE:
            return value in _TRUE
        case ArgumentKind.NUMBER if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        case ArgumentKind.NUMBER if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
        case ArgumentKind.STRUCTURE if isinstance(value, (dict, list, str)):
            return value
    expected = {
        ArgumentKind.TEXT: "a string",
        ArgumentKind.TRUTH: "true or false",
        ArgumentKind.NUMBER: "a number",
        ArgumentKind.STRUCTURE: "a list or an object",
    }
    raise StoreError(f"{place} must be {expected[argument.kind]}")


class StatePlace(Struct, frozen=True):
    """One state in a backend: the type of the backend, the workspace, and the settings in effect.

    `location` is a URL without credentials. `settings` may be secret: show only unmarked settings. `exact` is the
    location including secrets of the user that a folder has put into it, "" if there are none; it is never shown.
    """

    type: str
    workspace: str
    location: str
    settings: tuple[BackendSetting, ...]
    exact: str = ""

    @property
    def values(self) -> SettingValues:
        """The values of the settings by name."""
        return {setting.name: setting.value for setting in self.settings}

    def moved(self, environment: Mapping[str, str], workspace: str, **values: str) -> StatePlace:
        """Return the place of another state, with some values changed."""
        settings = tuple(
            structs.replace(setting, value=values[setting.name], shown=None) if setting.name in values else setting
            for setting in self.settings
        )
        backend = backend_type(self.type)
        assert backend is not None
        location, exact = locations(backend, settings, workspace, environment)
        return StatePlace(self.type, workspace, location, settings, exact)

    @property
    def identity(self) -> str:
        """The unique identity of the state: the location, and the endpoint or the whole address.

        It may contain a secret, such as a token in the query of an address. Show and store only its hash.
        """
        backend = backend_type(self.type)
        values = self.values
        more = (text_of(values, name) for name in (backend.apart if backend else ()))
        location = self.exact or self.location
        return "\n".join([location, *(value for value in more if value and value != location)])


def locations(
    backend: BackendType, settings: Iterable[BackendSetting], workspace: str, environment: Mapping[str, str]
) -> tuple[str, str]:
    """Return the location of a state for display, and the exact location if it has secrets of the user, else ""."""
    exact = backend.place({setting.name: setting.value for setting in settings}, workspace, environment)
    if all(setting.shown is None for setting in settings):
        return exact, ""
    try:
        return backend.place({setting.name: setting.public for setting in settings}, workspace, environment), exact
    except (StoreError, ValueError):
        return f"{backend.name}:{HIDDEN}", exact
