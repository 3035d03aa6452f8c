"""Describes the Dask cluster whose workers read states: its scheduler, and how to trust it."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec import Struct

from statefmt.fleet.errors import FleetError
from statefmt.model.errors import Wording
from statefmt.text import pattern

# Runs on a worker and returns what `answer_job` makes of the bytes. Workers import it by its name.
WorkerEntry: TypeAlias = "Callable[[bytes], bytes]"

_ADDRESS: Final = pattern(r"(tcp|tls)://([0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_PORTS: Final = 1 << 16
_INCOMPLETE: Final = Wording(
    "--tls-ca and --tls-cert must be given together", "tls_ca and tls_cert must be given together"
)
_INSECURE: Final = Wording("--insecure-scheduler", "insecure=True")


class Cluster(Struct, frozen=True):
    """A Dask cluster.

    `scheduler` is its address, `tcp://HOST:PORT` or `tls://HOST:PORT`. The authority, the certificate and the key are
    files in PEM; without them, Dask's own configuration names them. The key may be in the file of the certificate.
    `insecure` allows `tcp://` to other machines.
    """

    scheduler: str
    entry: WorkerEntry
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    insecure: bool = False

    def check(self) -> None:
        """Raise FleetError if the address is malformed, or not encrypted on the way to another machine."""
        scheme, host = _parts(self.scheduler)
        files = self.tls_ca, self.tls_cert, self.tls_key
        if scheme == "tls":
            if any(files) and not all(files[:2]):
                raise FleetError(_INCOMPLETE)
        elif any(files):
            raise FleetError(f"{self.scheduler}: certificates need an address that starts with tls://")
        elif not self.insecure and not _is_loopback(host):
            raise FleetError(
                f"{self.scheduler}: the connection would not be encrypted, and who can use this scheduler can run "
                "programs on its workers; use tls://, or ",
                _INSECURE,
                " in a network that you trust",
            )


def _parts(scheduler: str) -> tuple[str, str]:
    """Return the scheme and the host of an address. Raises FleetError."""
    found = _ADDRESS.fullmatch(scheduler)
    if found is None or not 0 < int(found[3]) < _PORTS:
        raise FleetError(
            f"invalid scheduler {scheduler!r}: write tls://HOST:PORT, or tcp://HOST:PORT for one on this machine"
        )
    return found[1], found[2].strip("[]")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
