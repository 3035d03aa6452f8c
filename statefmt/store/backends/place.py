"""The place of one state in a backend: what a client of the backend needs to reach it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import BackendType, SettingValues, text_of
from statefmt.store.backends.settings import BackendSetting
from statefmt.store.backends.shown import HIDDEN
from statefmt.store.backends.types import backend_type


class StatePlace(Struct, frozen=True):
    """One state in a backend: the type of the backend, the workspace, and the settings in effect.

    `location` is a URL without credentials. `settings` have secrets: show them only if they are not marked. `exact` is
    the location with secrets of the user that a folder has put into it, "" if it has none; it is never shown.
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
        """Return the place of another state with the same settings but for some values."""
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
        """What tells this state from all others: the location, and the endpoint or the whole address.

        It may have a secret, such as a token in the query of an address. Show and keep nothing but a hash of it.
        """
        backend = backend_type(self.type)
        values = self.values
        more = (text_of(values, name) for name in (backend.apart if backend else ()))
        location = self.exact or self.location
        return "\n".join([location, *(value for value in more if value and value != location)])


def locations(
    backend: BackendType, settings: Iterable[BackendSetting], workspace: str, environment: Mapping[str, str]
) -> tuple[str, str]:
    """Return the location of a state as it is shown, and the exact one if that has secrets of the user, else ""."""
    exact = backend.place({setting.name: setting.value for setting in settings}, workspace, environment)
    if all(setting.shown is None for setting in settings):
        return exact, ""
    try:
        return backend.place({setting.name: setting.public for setting in settings}, workspace, environment), exact
    except (StoreError, ValueError):
        return f"{backend.name}:{HIDDEN}", exact
