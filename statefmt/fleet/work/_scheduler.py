"""Connects to the scheduler of a Dask cluster, and refuses one whose workers would read states differently."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from statefmt.fleet.errors import FleetError
from statefmt.fleet.work.cluster import Cluster
from statefmt.model.errors import Wording
from statefmt.version import __version__

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

# In seconds, for the connection and the first answers.
_PATIENCE: Final = 10
_PACKAGE: Final = "statetool"
_CERTIFICATES: Final = Wording("use --tls-ca, --tls-cert and --tls-key", "set tls_ca, tls_cert and tls_key")
_OF_DASK: Final = "Dask's own configuration has them below distributed.comm.tls"


@contextmanager
def connected(cluster: Cluster) -> Iterator[Client]:
    """Connect to a scheduler. Raises FleetError if that is not possible or allowed, or if releases differ."""
    cluster.check()
    try:
        import distributed
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise FleetError(f"a scheduler needs the package distributed: {how_to_install('cluster')}") from error
    with _quiet(), _client(cluster, distributed.Client) as client:
        _check_versions(client, cluster)
        yield client


@contextmanager
def _client(cluster: Cluster, make: type[Client]) -> Iterator[Client]:
    security = _security(cluster)
    made: SimpleQueue[Client | Exception] = SimpleQueue()

    def connect() -> None:
        try:
            made.put(make(cluster.scheduler, security=security, timeout=_PATIENCE, set_as_default=False, name=_PACKAGE))
        except Exception as error:
            made.put(error)

    with warnings.catch_warnings():
        # Of releases that differ, which are compared below.
        warnings.simplefilter("ignore")
        # Dask waits forever for a server that accepts the connection and speaks another protocol.
        Thread(target=connect, daemon=True).start()
        try:
            client = made.get(timeout=2 * _PATIENCE)
        except Empty:
            raise FleetError(f"{cluster.scheduler}: no answer; is this a Dask scheduler?") from None
    if isinstance(client, Exception):
        raise FleetError(f"{cluster.scheduler}: cannot connect to this scheduler: {_reason(client)}") from client
    try:
        yield client
    finally:
        client.close(timeout=_PATIENCE)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what Dask logs here: it is also in an exception, or of no use to a user."""
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    levels = [(logger, logger.level) for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in levels:
            logger.setLevel(level)


def lost(cluster: Cluster) -> FleetError:
    """Return the error for a scheduler that has gone away."""
    return FleetError(
        f"{cluster.scheduler}: the scheduler is gone; the index has what was read so far, and the same command goes on"
    )


def _security(cluster: Cluster) -> Security | None:
    from distributed.security import Security

    if not cluster.scheduler.startswith("tls:"):
        return None
    files = {"tls_ca_file": cluster.tls_ca, "tls_client_cert": cluster.tls_cert, "tls_client_key": cluster.tls_key}
    security = Security(require_encryption=True, **{name: file for name, file in files.items() if file is not None})
    for name in files:
        file = getattr(security, name)
        if not file:
            if name == "tls_client_key":
                # It may be in the file of the certificate.
                continue
            raise FleetError(f"{cluster.scheduler}: no certificates: ", _CERTIFICATES, f"; {_OF_DASK}")
        if "\n" not in file and not Path(file).is_file():
            raise FleetError(f"{file}: there is no such file")
    return security


def _check_versions(client: Client, cluster: Cluster) -> None:
    """Raise FleetError if the scheduler or a worker has another statetool or another Python."""
    wanted = __version__, ".".join(map(str, sys.version_info[:2]))
    try:
        found: Any = client.get_versions(packages=[_PACKAGE])
    except OSError as error:
        raise lost(cluster) from error
    machines = {f"the scheduler {cluster.scheduler}": found["scheduler"]}
    machines |= {f"the worker {address}": about for address, about in found["workers"].items()}
    for machine, about in machines.items():
        packages = (about or {}).get("packages", {})
        release = packages.get(_PACKAGE)
        python = ".".join(str(packages.get("python")).split(".")[:2])
        if (release, python) != wanted:
            has = f"statetool {release}" if release else "no statetool"
            raise FleetError(
                f"{machine} has {has} on Python {python}, and this is statetool {wanted[0]} on Python {wanted[1]}; "
                f"install this statetool with its extra 'cluster' there, on the same Python, or use one image for all"
            )


def _reason(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else error.__class__.__name__
