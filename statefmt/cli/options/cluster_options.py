"""The options that name a cluster whose workers read states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import BadParameter, Option

from statefmt.cli.command_line import options_in_order
from statefmt.cli.options.groups import CLUSTER

if TYPE_CHECKING:
    from statefmt.fleet import Cluster, WorkerEntry


class ClusterOptions(NamedTuple):
    """A scheduler, if any, and how to reach it."""

    scheduler: str | None
    tls_ca: str | None
    tls_cert: str | None
    tls_key: str | None
    insecure: bool

    def given(self, entry: WorkerEntry, workers: int | None) -> Cluster | None:
        """Return the cluster, whose workers run `entry`; None without --scheduler.

        Raises BadParameter if it cannot be combined with local `workers`, or with keys.
        """
        if self.scheduler is None:
            return None
        if workers is not None:
            raise BadParameter(
                "cannot be combined with --scheduler: the cluster has the workers that were started for it",
                param_hint="--workers",
            )
        for option, _ in options_in_order("--encryption", "--encryption-config"):
            raise BadParameter(
                "cannot be combined with --scheduler: keys do not travel; set TF_ENCRYPTION where the workers start",
                param_hint=option,
            )
        from statefmt.fleet import Cluster

        return Cluster(self.scheduler, entry, self.tls_ca, self.tls_cert, self.tls_key, self.insecure)


def cluster_options(
    *,
    scheduler: Annotated[
        str | None,
        Option(
            metavar="ADDRESS",
            help="Read states on the workers of this Dask scheduler: tls://HOST:PORT, or tcp://HOST:PORT.",
            rich_help_panel=CLUSTER,
        ),
    ] = None,
    tls_ca: Annotated[
        str | None,
        Option(
            "--tls-ca",
            metavar="FILE",
            help="The certificate that signed those of the cluster; default: as Dask is configured.",
            rich_help_panel=CLUSTER,
        ),
    ] = None,
    tls_cert: Annotated[
        str | None, Option("--tls-cert", metavar="FILE", help="The certificate to show to it.", rich_help_panel=CLUSTER)
    ] = None,
    tls_key: Annotated[
        str | None,
        Option(
            "--tls-key",
            metavar="FILE",
            help="The key of --tls-cert, if that file does not have it.",
            rich_help_panel=CLUSTER,
        ),
    ] = None,
    insecure_scheduler: Annotated[
        bool,
        Option(
            "--insecure-scheduler", help="Use tcp:// to another machine, without encryption.", rich_help_panel=CLUSTER
        ),
    ] = False,
) -> ClusterOptions:
    """Return the options as one value. Raises BadParameter if one of them needs --scheduler."""
    given = {
        "--tls-ca": tls_ca,
        "--tls-cert": tls_cert,
        "--tls-key": tls_key,
        "--insecure-scheduler": insecure_scheduler,
    }
    if scheduler is None:
        for option, value in given.items():
            if value:
                raise BadParameter("requires --scheduler", param_hint=option)
    return ClusterOptions(scheduler, tls_ca, tls_cert, tls_key, insecure_scheduler)
