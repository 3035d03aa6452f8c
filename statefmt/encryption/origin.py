"""Records where an encryption configuration comes from and whether it may run programs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class OriginKind(Enum):
    """The kind of source: a file or an environment variable, both chosen by the user, or a module."""

    FILE = "file"
    ENVIRONMENT = "environment"
    MODULE = "module"


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a configuration; `name` is a path, the name of an environment variable or a module's directory.

    Programs that it names may run only if `runs_programs`.
    """

    kind: OriginKind
    name: str
    runs_programs: bool

    @classmethod
    def of_file(cls, path: str) -> Origin:
        """Return the origin for a file named by the user."""
        return cls(OriginKind.FILE, path, runs_programs=True)

    @classmethod
    def of_environment(cls, variable: str) -> Origin:
        """Return the origin for an environment variable."""
        return cls(OriginKind.ENVIRONMENT, variable, runs_programs=True)

    @classmethod
    def of_module(cls, directory: str, *, allow_external: bool) -> Origin:
        """Return the origin for a module, which is untrusted."""
        return cls(OriginKind.MODULE, directory, runs_programs=allow_external)
