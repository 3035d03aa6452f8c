"""Renders where states are as JSON."""

from __future__ import annotations

from statefmt.render.json_output import document
from statefmt.render.whereabouts._shown import notes, programs, shown_value, state_path
from statefmt.store.backends.settings import BackendSetting
from statefmt.whereabouts import Workspaces, described_locks, inside_state, is_supported
from statefmt.whereabouts.find import FoundState


def where_json(found: FoundState, history: str | None) -> bytes:
    """Render where a state is (schema: `where-output.schema.json`)."""
    backend, workspace, file = found.backend, found.backend.workspace, state_path(found)
    return document(
        {
            "location": str(file) if file is not None else found.location,
            "file": None if file is None else {"path": str(file), "outside": inside_state(found) is None},
            "folder": str(backend.folder),
            "backend": {"type": backend.type, "source": backend.source.value, "place": backend.place or None},
            "workspace": {"name": workspace.name, "source": workspace.source.value, "place": workspace.place or None},
            "supported": is_supported(found),
            "locks": list(described_locks(found)),
            "history": history,
            "settings": [_setting(setting) for setting in found.settings],
            "missing": list(found.missing),
            "programs": list(programs(found)),
            "notes": list(notes(found)),
        }
    )


def workspaces_json(found: Workspaces) -> bytes:
    """Render workspaces (schema: `workspaces-output.schema.json`)."""
    listed = [{"name": name, "current": name == found.current} for name in found.names]
    return document({"workspaces": listed, "current": found.current})


def _setting(setting: BackendSetting) -> dict[str, object]:
    return {
        "name": setting.name,
        "value": None if setting.secret else shown_value(setting),
        "secret": setting.secret,
        "source": setting.source.value,
        "place": setting.place or None,
    }
