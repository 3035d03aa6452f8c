"""Runs the external programs of an encryption configuration with OpenTofu's protocol.

The program prints a header line, reads one JSON document and answers with another. Its standard error is passed through
and never quoted in messages, since it may contain secrets. The `Origin` of a configuration decides whether its programs
may run.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from enum import Enum
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.model.errors import ExternalProgramError, UnreadableError, Wording

_TIMEOUT: Final = 60.0
_PROTOCOL: Final = 1


class _Header(Struct, frozen=True):
    magic: str
    version: int


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its arguments. `block` is the address of the block that names it, at `place`.

    `origin` is the configuration that the command comes from; if None (unknown), the program is not run.
    """

    command: tuple[str, ...]
    block: str
    place: str
    origin: Origin | None

    @property
    def name(self) -> str:
        """The program for messages, quoted if it contains control characters."""
        return self.command[0] if self.command[0].isprintable() else repr(self.command[0])

    def answer(self, magic: str, request: bytes) -> bytes:
        """Run the program and return its answer to a request.

        Raises ExternalProgramError if programs of this origin may not run, and UnreadableError if the program cannot be
        run, fails, takes longer than a minute or uses another protocol.
        """
        self._check_origin()
        where = f"{self.block}: the program {self.name}"
        try:
            done = subprocess.run(self.command, input=request, stdout=subprocess.PIPE, timeout=_TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            raise UnreadableError(f"{where} did not finish within a minute") from None
        except OSError as error:
            raise UnreadableError(f"{where} cannot be run: {error.strerror}") from None
        except ValueError:
            # An argument contains a surrogate, which cannot be encoded.
            raise UnreadableError(f"{where} cannot be run: an argument is not UTF-8") from None
        if done.returncode:
            raise UnreadableError(f"{where} failed with exit status {done.returncode}")
        first, _, rest = done.stdout.partition(b"\n")
        try:
            header = msgspec.json.decode(first, type=_Header)
        except (msgspec.DecodeError, UnicodeDecodeError):
            header = None
        if header != _Header(magic, _PROTOCOL):
            raise UnreadableError(
                f"{self.block}: the first line of the program {self.name} is not "
                f'{{"magic":"{magic}","version":{_PROTOCOL}}}'
            )
        return rest

    def _check_origin(self) -> None:
        if self.origin is not None and self.origin.runs_programs:
            return
        source = f" in {self.origin.name}" if self.origin else ""
        raise ExternalProgramError(
            f"{f'{self.place}: ' if self.place else ''}{self.block} needs to run the program {self.name}, which the "
            f"configuration{source} names; nothing was run. If you trust that configuration, ",
            Wording(
                "allow it with --allow-external or STATETOOL_ALLOW_EXTERNAL=1",
                "pass its encryption block to encryption= as a file or as text",
            ),
        )


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
