"""The place of one state in a backend: what a client of the backend needs to reach it."""

from __future__ import annotations

from msgspec import Struct

from statefmt.store.backends.description import SettingValues
from statefmt.store.backends.settings import BackendSetting


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
