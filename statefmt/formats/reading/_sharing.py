"""Types that decode a v4 document in less memory: its blocks and objects share what many of them have alike."""

from __future__ import annotations

from contextlib import suppress
from sys import intern
from typing import Final

from msgspec import UNSET, Raw

from statefmt.formats.raw_json.raw import equals
from statefmt.formats.versions.v4 import InstanceObjectV4, ResourceV4, StateV4

_NO_PATHS: Final = Raw(b"[]")


class SharingResource(ResourceV4):
    """A block whose strings are those of earlier blocks: otherwise they may take as much memory as the file."""

    def __post_init__(self) -> None:
        self.module, self.mode, self.type = _shared(self.module), _shared(self.mode), _shared(self.type)
        self.name, self.provider = _shared(self.name), _shared(self.provider)
        for obj in self.instances or ():
            if obj is not None:
                _share(obj)


class SharingState(StateV4):
    """A document of such blocks."""

    resources: list[SharingResource | None] | None = None  # type: ignore[assignment]


def _share(obj: InstanceObjectV4) -> None:
    if isinstance(obj.private, str):
        obj.private = intern(obj.private)
    if obj.sensitive_attributes is not UNSET and equals(obj.sensitive_attributes, b"[]"):
        obj.sensitive_attributes = _NO_PATHS
    # A null among the dependencies, which is invalid, is a TypeError.
    with suppress(TypeError):
        if obj.dependencies:
            obj.dependencies = list(map(intern, obj.dependencies))  # type: ignore[arg-type]


def _shared(text: str | None) -> str | None:
    return None if text is None else intern(text)
