"""Server processes: free ports for them, and waiting until one can be used."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

# A guard against hangs: ends the wait for a server, in seconds.
_PATIENCE: Final = 60.0


class NotStartedError(Exception):
    """A server ended, or did not answer in time; the message has what it printed last."""


def program(name: str) -> str | None:
    """The path of a program that is installed beside Python, or is on PATH."""
    return shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)


def free_ports(number: int) -> list[int]:
    """Ports of 127.0.0.1 that were free a moment ago; another process may take one."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(number)]
        return [listener.getsockname()[1] for listener in taken]


@contextmanager
def running(
    command: Sequence[str], log: Path, is_up: Callable[[], bool], environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in the background, and wait until it is up. Raises NotStartedError."""
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, cwd=log.parent, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        ) as process,
    ):
        try:
            until = time.monotonic() + _PATIENCE
            while not is_up():
                if process.poll() is not None or time.monotonic() > until:
                    raise NotStartedError(log.read_text(errors="replace")[-2000:])
                time.sleep(0.05)
            yield process
        finally:
            process.kill()
