"""What the backends `cos` and `oss` share: objects in a bucket, with a folder for each workspace but `default`."""

from __future__ import annotations

from statefmt.store.backends.description import DEFAULT_WORKSPACE, SettingValues, text_of


def object_path(values: SettingValues, workspace: str) -> str:
    """Return `BUCKET/PREFIX/WORKSPACE/KEY`, without parts that are empty."""
    named = "" if workspace == DEFAULT_WORKSPACE else workspace
    parts = (text_of(values, "bucket"), text_of(values, "prefix").strip("/"), named, text_of(values, "key"))
    return "/".join(part for part in parts if part)
