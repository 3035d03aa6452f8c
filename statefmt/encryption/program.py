"""Runs the external programs of an encryption configuration with OpenTofu's protocol.

The program prints a header line, reads one JSON document and answers with another. Its standard error is passed through
and never quoted in messages, since it may contain secrets.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.encryption.origin import Origin
from statefmt.model.errors import ExternalProgramError, UnreadableError
from statefmt.model.wording import Wording

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
        """Raise ExternalProgramError if the program may not run."""
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
