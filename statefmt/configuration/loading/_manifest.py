"""Reads `.terraform/modules/modules.json`, in which `init` records where it installed non-local modules.

Source: OpenTofu `internal/modsdir/manifest.go`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, warning
from statefmt.store.files import read_bounded

_LARGEST: Final = 16 * 1024 * 1024


class InstalledModule(msgspec.Struct, frozen=True):
    """One record: the path of the call (`a.b`), the source it was installed from, and the directory."""

    key: str = msgspec.field(name="Key")
    source: str = msgspec.field(name="Source", default="")
    directory: str = msgspec.field(name="Dir", default="")


class _Manifest(msgspec.Struct):
    modules: list[InstalledModule] = msgspec.field(name="Modules", default_factory=list)


def read_manifest(path: Path, shown: str, problems: list[Problem]) -> dict[str, InstalledModule]:
    """Return the installed modules by the path of their call; empty if the file does not exist."""
    try:
        content = read_bounded(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as failure:
        problems.append(_unreadable(shown, failure.strerror or str(failure)))
        return {}
    if not content:
        return {}
    try:
        found = msgspec.json.decode(content, type=_Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as failure:
        problems.append(_unreadable(shown, str(failure)))
        return {}
    return {record.key: record for record in found.modules}


def _unreadable(shown: str, why: str) -> Problem:
    detail = f"{shown} could not be read ({why}). Only modules with a local path are loaded."
    return warning(
        ProblemKind.MODULE,
        "Failed to read module manifest",
        detail,
        Range(file=shown, line=1, column=1, end_line=1, end_column=1, start=0, stop=0),
    )
