"""The place of one state in a backend: what a client of the backend needs to reach it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from statefmt.store.backends.description import SettingValues, text_of
from statefmt.store.backends.settings import BackendSetting
from statefmt.store.backends.types import backend_type


class StatePlace(Struct, frozen=True):
    """One state in a backend: the type of the backend, the workspace, and the settings in effect.

    `location` is a URL without credentials. `settings` have secrets: show them only if they are not marked.
    """

    type: str
    workspace: str
    location: str
    settings: tuple[BackendSetting, ...]

    @property
    def values(self) -> SettingValues:
        """The values of the settings by name."""
        return {setting.name: setting.value for setting in self.settings}

    def moved(self, environment: Mapping[str, str], workspace: str, **values: str) -> StatePlace:
        """Return the place of another state with the same settings but for some values."""
        settings = tuple(
            structs.replace(setting, value=values[setting.name]) if setting.name in values else setting
            for setting in self.settings
        )
        backend = backend_type(self.type)
        assert backend is not None
        location = backend.place({setting.name: setting.value for setting in settings}, workspace, environment)
        return StatePlace(self.type, workspace, location, settings)

    @property
    def identity(self) -> str:
        """What tells this state from all others: the location, and the endpoint or the whole address.

        It may have a secret, such as a token in the query of an address. Show and keep nothing but a hash of it.
        """
        backend = backend_type(self.type)
        values = self.values
        more = (text_of(values, name) for name in (backend.apart if backend else ()))
        return "\n".join([self.location, *(value for value in more if value and value != self.location)])
