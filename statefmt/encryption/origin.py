"""Where an encryption configuration comes from, and what may be done because it says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class OriginKind(Enum):
    """Who chose the configuration: the user, by naming a file or setting a variable, or the author of a module."""

    FILE = "file"
    ENVIRONMENT = "environment"
    MODULE = "module"


@dataclass(frozen=True, slots=True)
class Origin:
    """A file (`name` is its path), an environment variable (its name) or a module (its directory).

    Programs that it names are run only if `runs_programs`.
    """

    kind: OriginKind
    name: str
    runs_programs: bool

    @classmethod
    def of_file(cls, path: str) -> Origin:
        """A file that the user named."""
        return cls(OriginKind.FILE, path, runs_programs=True)

    @classmethod
    def of_environment(cls, variable: str) -> Origin:
        """A variable of the user's environment."""
        return cls(OriginKind.ENVIRONMENT, variable, runs_programs=True)

    @classmethod
    def of_module(cls, directory: str, *, allow_external: bool) -> Origin:
        """A module, which anybody may have written."""
        return cls(OriginKind.MODULE, directory, runs_programs=allow_external)
