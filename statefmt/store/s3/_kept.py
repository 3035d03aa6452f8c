"""What an object has beside its content and would lose by an overwrite: tags and access control lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from statefmt.store.s3._objects import Objects
from statefmt.store.s3._storage import tagging
from statefmt.store.s3._version import ReadVersion


def kept_properties(
    objects: Objects, key: str, version: ReadVersion | None, note: Callable[[str], None]
) -> dict[str, Any]:
    """Return the properties of the next version of an object, as arguments of PutObject."""
    properties: dict[str, Any] = dict(version.kept) if version else {}
    properties |= tagging(objects.settings.state_tags)
    return properties
