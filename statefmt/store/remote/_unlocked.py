"""Refuses to write a state at a bare URL that nothing locks."""

from __future__ import annotations

from statefmt.model.errors import StoreError
from statefmt.model.wording import Wording
from statefmt.store.backends.place import StatePlace
from statefmt.store.backends.settings import SettingSource
from statefmt.store.backends.types import backend_type


def refuse_unlocked_url(place: StatePlace) -> None:
    """Raise StoreError if a URL names the state: it has no argument for locks, and its other writers may have one.

    The configuration of a folder says how all who use it lock the state, even if it is not at all.
    """
    if all(setting.source is not SettingSource.URL for setting in place.settings):
        return
    backend = backend_type(place.type)
    arguments = (backend and backend.lock_arguments) or "locks"
    raise StoreError(
        f"{place.location}: the URL does not say how its other writers lock the state; add {arguments} to it, or name "
        "the folder of the root module; ",
        Wording("--no-lock", "lock=False"),
        " writes without a lock",
    )
