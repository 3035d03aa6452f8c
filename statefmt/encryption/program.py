"""Running an external program of an encryption configuration, by the protocol of OpenTofu.

The program says who it is in one line, is given one JSON document, and answers with another. What it writes to standard
error goes there; it is in no message, since it may hold a secret.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.errors import UnreadableError

_TIMEOUT: Final = 60.0
_PROTOCOL: Final = 1


class _Header(Struct, frozen=True):
    magic: str
    version: int


def answer(command: Sequence[str], magic: str, request: bytes, where: str) -> bytes:
    """What the program answers to a request. `where` is the block that names the program.

    Raises UnreadableError where it cannot be run, fails, takes longer than a minute, or speaks another protocol.
    """
    try:
        done = subprocess.run(command, input=request, stdout=subprocess.PIPE, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"{where}: the program {command[0]} did not finish within a minute") from None
    except OSError as error:
        raise UnreadableError(f"{where}: the program {command[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        raise UnreadableError(f"{where}: the program {command[0]} failed with exit status {done.returncode}")
    first, _, rest = done.stdout.partition(b"\n")
    try:
        header = msgspec.json.decode(first, type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError):
        header = None
    if header != _Header(magic, _PROTOCOL):
        raise UnreadableError(
            f'{where}: the first line of the program {command[0]} is not {{"magic":"{magic}","version":{_PROTOCOL}}}'
        )
    return rest
