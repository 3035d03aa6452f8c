"""A plan of an operations file, which is reviewed before it is applied: what each state is, and what it becomes.

It has hashes and no content, so no value that the operations set. `schemas/operations-plan.schema.json` describes it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from statefmt.edit.transactions._pins import Pin
from statefmt.model.errors import SettingsError

_FORMAT: Final = "1.0"


class PlannedState(Struct, frozen=True, forbid_unknown_fields=True):
    """A state when it was planned; hashes are the SHA-256 of plain contents.

    `location` is its path, relative to the operations file, or its URL without credentials. `version` is that of the
    store, "" if it has none. `result` is the hash of the content that the operations make. A state that is created has
    the hash of no bytes.
    """

    location: str
    lineage: str
    serial: int
    hash: str
    version: str
    result: str

    @property
    def pin(self) -> Pin:
        """What the state must be when the plan is applied."""
        return Pin(self.lineage, self.serial, self.hash, version=self.version or None, result=self.result)


class PlannedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The operations file of a plan: its path, relative to the plan, and the SHA-256 of its content."""

    path: Annotated[str, Meta(pattern=r"^[^\0]+$")]
    hash: str


class OperationsPlan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan: the operations file, and its states by their short names."""

    format_version: str = _FORMAT
    operations_file: PlannedFile
    states: Mapping[str, PlannedState]


def encoded_plan(plan: OperationsPlan) -> bytes:
    """Return a plan as JSON."""
    return msgspec.json.format(msgspec.json.encode(plan), indent=2) + b"\n"


def is_plan(content: bytes) -> bool:
    """Return whether the content of a file is a plan, and not operations."""
    try:
        return "format_version" in msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def read_plan(name: str, content: bytes) -> OperationsPlan:
    """Read a plan. Raises SettingsError if it is invalid."""
    try:
        version = msgspec.json.decode(content, type=_Version).format_version
        if version != _FORMAT:
            raise SettingsError(f"{name}: the plan has format {version!r}, from another statetool; plan again")
        return msgspec.json.decode(content, type=OperationsPlan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{name}: invalid plan: {error}") from None


def relative(path: str, folder: Path) -> str:
    """Return a path relative to a folder, with slashes."""
    return Path(os.path.relpath(os.path.realpath(path), os.path.realpath(folder))).as_posix()


class _Version(Struct):
    format_version: str
