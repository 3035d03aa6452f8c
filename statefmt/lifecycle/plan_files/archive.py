"""Takes apart the zip archive of a plan file in memory, within bounds.

Source: OpenTofu `internal/plans/planfile/reader.go` and `config_snapshot.go`.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.lifecycle.plan import NotAPlanError, PlanError

_PLAN: Final = "tfplan"
_STATES: Final = {"prior": "tfstate", "previous": "tfstate-prev"}
_SCHEMAS: Final = "tfschemas"
_LOCK: Final = ".terraform.lock.hcl"
_CONFIGURATION: Final = "tfconfig/"
_MODULES: Final = "tfconfig/modules.json"
_SOURCES: Final = "tfconfig/m-"
_KNOWN: Final = {_PLAN, *_STATES.values(), _SCHEMAS, _LOCK, _MODULES}
# Bounds of the archive. Plans of large fleets have some thousand files of configurations, and compress up to 30 times.
_MOST_MEMBERS: Final = 50_000
_MOST_BYTES: Final = 2 << 30
_MOST_RATIO: Final = 60
# Smaller plans may compress as far as they can.
_SMALL: Final = 64 << 20
_ENCRYPTED: Final = 0x1
# Go's archive/zip writes no other.
_COMPRESSION: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ModuleSource(Struct, frozen=True, rename={"key": "Key", "directory": "Dir", "source": "Source"}):
    """A module in the configuration of a plan file: its path of names (`a.b`), its directory and its source.

    The directory is relative to that of the root module, and may begin with `../`.
    """

    key: str
    directory: str
    source: str = ""


class PlanArchive(Struct, frozen=True, dict=True):
    """The content of the known members of a plan file, by their names."""

    members: Mapping[str, bytes]

    @property
    def plan(self) -> bytes:
        """The changes, as a protobuf message."""
        return self.members[_PLAN]

    @property
    def schemas(self) -> bytes:
        """The schemas that recent OpenTofu stores, as a protobuf message; empty if there are none."""
        return self.members.get(_SCHEMAS, b"")

    @property
    def is_opentofu(self) -> bool:
        """Whether OpenTofu wrote the file, as the comment in its lock file says."""
        return b'"tofu init"' in self.members.get(_LOCK, b"")[:_HEAD]

    def state(self, part: str) -> bytes:
        """Return the state `previous` (after moves) or `prior` (refreshed besides). Raises PlanError without one."""
        found = self.members.get(_STATES[part])
        if found is None:
            raise PlanError(f"the plan file has no {part} state (member {_STATES[part]})")
        return found

    def modules(self) -> tuple[ModuleSource, ...]:
        """Return the modules of the configuration, the root module first. Raises PlanError."""
        try:
            found = msgspec.json.decode(self.members.get(_MODULES, b""), type=tuple[ModuleSource, ...])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise PlanError(f"the plan file has no readable list of modules (member {_MODULES})") from None
        return tuple(sorted(found, key=lambda module: module.key))

    @property
    def configuration(self) -> dict[str, bytes]:
        """The members of the configuration."""
        return {name: content for name, content in self.members.items() if name.startswith(_CONFIGURATION)}

    def files(self, module: ModuleSource) -> Mapping[str, bytes]:
        """Return the files of a module by name."""
        return self._files.get(f"{_SOURCES}{module.key}", {})

    @cached_property
    def _files(self) -> Mapping[str, Mapping[str, bytes]]:
        found: dict[str, dict[str, bytes]] = {}
        for path, content in self.configuration.items():
            folder, _, name = path.rpartition("/")
            found.setdefault(folder, {})[name] = content
        return found


_HEAD: Final = 200


def open_archive(data: bytes) -> PlanArchive:
    """Unpack the known members of a plan file in memory.

    Raises NotAPlanError for another zip archive, and PlanError if the archive is damaged, exceeds a bound, or has a
    name twice: another program may then read another member than statetool.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return PlanArchive(_unpacked(archive, len(data)))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OverflowError, OSError) as error:
        raise PlanError(f"the plan file is damaged: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    # Of the standard library, in varying case.
    return str(error) or "it cannot be unpacked"


def _unpacked(archive: zipfile.ZipFile, size: int) -> dict[str, bytes]:
    found = archive.infolist()
    names = {info.filename for info in found}
    if _PLAN not in names:
        raise NotAPlanError(f"this is a zip archive, but not a plan file: it has no member {_PLAN}")
    if len(found) > _MOST_MEMBERS:
        raise PlanError(f"the plan file has {len(found):,} members; the limit is {_MOST_MEMBERS:,}")
    if len(names) < len(found):
        twice = Counter(info.filename for info in found).most_common(1)[0][0]
        raise PlanError(f"the plan file has the member {twice!r} more than once, so it is not as OpenTofu wrote it")
    known = [info for info in found if _is_known(info)]
    total = sum(info.file_size for info in known)
    if total > min(_MOST_BYTES, max(_SMALL, size * _MOST_RATIO)):
        raise PlanError(f"the plan file unpacks to {total:,} bytes from {size:,}, more than a plan does")
    return {info.filename: _content(archive, info) for info in known}


def _is_known(info: zipfile.ZipInfo) -> bool:
    return info.filename in _KNOWN or (info.filename.startswith(_SOURCES) and not info.is_dir())


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _COMPRESSION:
        raise PlanError(f"the member {info.filename!r} of the plan file is not stored as plan files store members")
    with archive.open(info) as member:
        # Checks the checksum, and never reads more than the size that the bound was checked with.
        content = member.read(info.file_size + 1)
    if len(content) != info.file_size:
        raise PlanError(f"the plan file is damaged: its member {info.filename!r} has another size than listed")
    return content
