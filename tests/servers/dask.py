"""A real Dask scheduler and its workers, as processes on 127.0.0.1."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tests.servers.cutting import Address, Line, Serve, connected
from tests.servers.processes import program, running

REPOSITORY: Final = Path(__file__).parents[2]


class DaskServers(NamedTuple):
    """A running cluster: the address of its scheduler, its processes, and its folder, where their logs are."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: Sequence[subprocess.Popen[bytes]]
    folder: Path

    def logs(self) -> str:
        """Return all that the processes have logged."""
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("*.log")))


@contextmanager
def scheduler(
    folder: Path, options: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a scheduler on a free port, and yield its address."""
    about = folder / "scheduler.json"
    command = [_dask(), "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", *options]
    if "--tls-cert" in options:
        command += ["--protocol", "tls"]
    with running(
        [*command, "--scheduler-file", str(about)],
        folder / "scheduler.log",
        lambda: _is_json(about),
        _environment(environment),
    ) as process:
        yield json.loads(about.read_bytes())["address"], process


@contextmanager
def worker(
    address: str, log: Path, options: Sequence[str] = ("--no-nanny",), environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker with one thread, and wait until it has registered."""
    command = [_dask(), "worker", address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard", *options]
    command += ["--local-directory", str(log.with_suffix(".d"))]
    with running(command, log, lambda: "Registered to" in log.read_text(), _environment(environment)) as process:
        yield process


@contextmanager
def dask_servers(
    folder: Path,
    workers: int = 2,
    *,
    options: Sequence[str] = ("--no-nanny",),
    environment: Mapping[str, str] | None = None,
) -> Iterator[DaskServers]:
    """Run a scheduler and workers."""
    with ExitStack() as stack:
        address, process = stack.enter_context(scheduler(folder, environment=environment))
        started = [
            stack.enter_context(worker(address, folder / f"worker-{number}.log", options, environment))
            for number in range(workers)
        ]
        yield DaskServers(address, process, started, folder)


def recording(record: bytearray) -> Serve:
    """Serve connections of a proxy as they are, and keep all that passes, in either direction."""

    def copied(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                record.extend(data)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def serve(client: socket.socket, server: Address, line: Line) -> None:
        with connected(server) as upstream:
            back = threading.Thread(target=copied, args=(upstream, client))
            back.start()
            copied(client, upstream)
            back.join()

    return serve


def _environment(more: Mapping[str, str] | None) -> dict[str, str]:
    # Functions of the tests run on workers, too.
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1", **(more or {})}


def _is_json(path: Path) -> bool:
    try:
        return bool(json.loads(path.read_bytes())["address"])
    except (OSError, ValueError):
        return False


def _dask() -> str:
    found = program("dask")
    assert found is not None, "make setup installs dask"
    return found
