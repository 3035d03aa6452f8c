"""The backend `inmem`, which lives as long as its process. Source: OpenTofu `remote-state/inmem/backend.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.store.backends.description import BackendType, SettingValues, text_arguments


def _place(values: SettingValues, workspace: str, environment: Mapping[str, str]) -> str:
    return f"inmem://{workspace}"


BACKEND: Final = BackendType("inmem", text_arguments("lock_id"), _place)
