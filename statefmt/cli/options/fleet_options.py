"""Options of the commands about many states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from statefmt.cli.command_line import options_in_order
from statefmt.cli.declared import Option
from statefmt.cli.options.groups import CLUSTER
from statefmt.fleet import Cluster

if TYPE_CHECKING:
    from statefmt.fleet import WorkerEntry

IntoOption = Annotated[
    Path, Option("--into", metavar="FILE", show_default=False, help="The index; default: statetool.duckdb.")
]
SchedulerOption = Annotated[
    str | None,
    Option(
        metavar="ADDRESS",
        help="Read states on the workers of this Dask scheduler: tls://HOST:PORT, or tcp://HOST:PORT.",
        panel=CLUSTER,
    ),
]
TlsCaOption = Annotated[
    str | None,
    Option(
        "--tls-ca",
        metavar="FILE",
        help="The certificate that signed those of the cluster; default: as Dask is configured.",
        panel=CLUSTER,
    ),
]
TlsCertOption = Annotated[
    str | None, Option("--tls-cert", metavar="FILE", help="The certificate to show to it.", panel=CLUSTER)
]
TlsKeyOption = Annotated[
    str | None,
    Option("--tls-key", metavar="FILE", help="The key of --tls-cert, if that file does not have it.", panel=CLUSTER),
]
InsecureSchedulerOption = Annotated[
    bool, Option("--insecure-scheduler", help="Use tcp:// to another machine, without encryption.", panel=CLUSTER)
]


def given_cluster(
    entry: WorkerEntry,
    scheduler: str | None,
    tls_ca: str | None,
    tls_cert: str | None,
    tls_key: str | None,
    insecure: bool,
    workers: int | None,
) -> Cluster | None:
    """Return the cluster that the options describe, whose workers run `entry`, None without --scheduler.

    Raises BadParameter if an option needs or excludes another.
    """
    given = {"--tls-ca": tls_ca, "--tls-cert": tls_cert, "--tls-key": tls_key, "--insecure-scheduler": insecure}
    if scheduler is None:
        for option, value in given.items():
            if value:
                raise click.BadParameter("requires --scheduler", param_hint=option)
        return None
    if workers is not None:
        raise click.BadParameter(
            "cannot be combined with --scheduler: the cluster has the workers that were started for it",
            param_hint="--workers",
        )
    for option, _ in options_in_order("--encryption", "--encryption-config"):
        raise click.BadParameter(
            "cannot be combined with --scheduler: keys do not travel; set TF_ENCRYPTION where the workers start",
            param_hint=option,
        )
    return Cluster(scheduler, entry, tls_ca, tls_cert, tls_key, insecure)
