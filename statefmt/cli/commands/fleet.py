"""`statetool fleet index`, `query`, `duplicates`, `graph` and `diff`: many states as tables in a database.

`fleet check` has its own module, as only it loads the rules. Each command imports the modules that it needs for the
tables.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from typer import Argument, BadParameter, Option

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.encryption import use_environment
from statefmt.cli.options.shared import CLUSTER, FormatOption, OutputFormat, seconds
from statefmt.cli.outcome import FAILED, FINE, FOUND, require_templates
from statefmt.cli.run import options_in_order, run_context, system_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.render.terminal import counted

if TYPE_CHECKING:
    from statefmt.fleet import Cluster, FleetGraph, WorkerEntry


DEFAULT_INDEX: Final = Path("statetool.duckdb")
IntoOption = Annotated[Path, Option("--into", metavar="FILE", help=f"The index; default: {DEFAULT_INDEX}.")]


class ClusterOptions(NamedTuple):
    """A scheduler, if any, and the options of its connection."""

    scheduler: Annotated[
        str | None,
        Option(
            metavar="ADDRESS",
            help="Read states on the workers of this Dask scheduler: tls://HOST:PORT, or tcp://HOST:PORT.",
            rich_help_panel=CLUSTER,
        ),
    ] = None
    tls_ca: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="The certificate that signed those of the cluster; default: as Dask is configured.",
            rich_help_panel=CLUSTER,
        ),
    ] = None
    tls_cert: Annotated[
        str | None, Option(metavar="FILE", help="The certificate to show to it.", rich_help_panel=CLUSTER)
    ] = None
    tls_key: Annotated[
        str | None,
        Option(metavar="FILE", help="The key of --tls-cert, if that file does not have it.", rich_help_panel=CLUSTER),
    ] = None
    insecure_scheduler: Annotated[
        bool,
        Option(
            "--insecure-scheduler", help="Use tcp:// to another machine, without encryption.", rich_help_panel=CLUSTER
        ),
    ] = False

    def given(self, entry: WorkerEntry, workers: int | None) -> Cluster | None:
        """Return the cluster, whose workers run `entry`; None without --scheduler.

        Raises BadParameter if an option needs --scheduler, or if it cannot be combined with local `workers`, or with
        keys.
        """
        if self.scheduler is None:
            needing = {
                "--tls-ca": self.tls_ca,
                "--tls-cert": self.tls_cert,
                "--tls-key": self.tls_key,
                "--insecure-scheduler": self.insecure_scheduler,
            }
            for option, value in needing.items():
                if value:
                    raise BadParameter("requires --scheduler", param_hint=option)
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

        return Cluster(self.scheduler, entry, self.tls_ca, self.tls_cert, self.tls_key, self.insecure_scheduler)


_MOST_SHOWN: Final = 10


@examples(
    ("Index all states below a folder.", "statetool fleet index infra"),
    (
        "Index the states in a bucket below app/, and those in git, in another file.",
        "statetool fleet index s3://states/app/ git:main: --into all.duckdb",
    ),
    ("Give up on states that are huge or slow.", "statetool fleet index infra --max-size 20MiB --timeout 30s"),
    (
        "Read the states on the machines of a Dask cluster.",
        "statetool fleet index s3://states/app/ --scheduler tls://scheduler:8786",
    ),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(cluster=ClusterOptions)
def fleet_index_command(
    sources: Annotated[
        list[str], Argument(metavar="SOURCE...", help="Files, folders, globs, git:REVISION:FOLDER, URLs.")
    ],
    into: IntoOption = DEFAULT_INDEX,
    check: Annotated[bool, Option("--check/--no-check", help="Also store findings (the default).")] = True,
    attributes: Annotated[
        bool, Option("--attributes", help="Also store attributes and outputs but sensitive ones.")
    ] = False,
    workers: Annotated[
        int | None, Option(metavar="N", min=1, help="Use N processes; default: one per processor.")
    ] = None,
    max_size: Annotated[str | None, Option(metavar="SIZE", help="The largest state; default: 192MiB.")] = None,
    timeout: Annotated[
        str | None, Option(metavar="DURATION", help="The longest time for a state; default: 10m.")
    ] = None,
    *,
    cluster: ClusterOptions,
) -> int:
    """Store what states say in a DuckDB file, for `fleet query`.

    A folder stands for the *.tfstate files below it and all workspaces of its backend, s3://BUCKET/PREFIX/ for the
    *.tfstate objects below a prefix, pg://HOST/DATABASE for all states of a database or, with ?schema=NAME, of a
    schema. git:REVISION:FOLDER takes an absolute folder for another repository.

    A state that has not changed is not read again. One that cannot be read, is too large or takes too long is recorded
    with the reason. Sensitive values are never stored.

    Exit status 0: all states were read; 2: some states or sources were not.
    """
    from statefmt.fleet import IndexOptions, index_states

    limit = None if timeout is None else seconds(timeout, "--timeout")
    if limit == 0:
        raise BadParameter("a state takes some time: write 30s or 5m", param_hint="--timeout")
    options = IndexOptions(
        checks=check,
        attributes=attributes,
        workers=workers,
        cluster=cluster.given(read_states, workers),
        max_size=max_size,
        timeout=limit,
    )
    run = index_states(run_context(), sources, into, options)
    for message in run.missing:
        say(f"statetool: {message}")
    for uri, error in run.failed[:_MOST_SHOWN]:
        say(f"statetool: {uri}: {error}")
    if len(run.failed) > _MOST_SHOWN:
        say(f"statetool: and {counted(len(run.failed) - _MOST_SHOWN, 'more state')}; see states.error in {into}")
    if run.deaths:
        say(f"statetool: {counted(run.deaths, 'worker')} died; their states were read again")
    removed = f", {run.removed:,} removed" if run.removed else ""
    failed = f", {len(run.failed):,} failed" if run.failed else ""
    # Failed states are read again in each run.
    read, unchanged = run.read - len(run.failed), run.states - run.read
    print(f"{into}: {counted(run.states, 'state')}: {read:,} read, {unchanged:,} unchanged{removed}{failed}")
    return FAILED if run.failed or run.missing else FINE


def read_states(job: bytes) -> bytes:
    """Read the states of a job with the credentials and the keys in the environment of this worker."""
    from statefmt.fleet import answer_job

    # Notes would fill the log of the worker.
    return answer_job(use_environment(replace(system_context(), note=lambda _: None)), job)


class QueryFormat(StrEnum):
    """The output format of a query."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


@examples(
    ("List the saved queries.", "statetool fleet query"),
    ("Show which releases write the states.", "statetool fleet query --saved versions-in-use"),
    ("Count the objects of each state.", "statetool fleet query 'SELECT uri, n_objects FROM states'"),
)
@declared(paged=True, decrypts=False, connects=False)
def fleet_query_command(
    sql: Annotated[str | None, Argument(metavar="[SQL]", help="One SELECT in the SQL of DuckDB.")] = None,
    into: IntoOption = DEFAULT_INDEX,
    saved: Annotated[str | None, Option(metavar="NAME", help="Run this saved query.")] = None,
    queries: Annotated[
        Path | None, Option(metavar="DIR", help="Also use the saved queries in this folder: NAME.sql.")
    ] = None,
    output_format: Annotated[
        QueryFormat, Option("--format", metavar="FORMAT", help="table (the default), json, csv, parquet.")
    ] = QueryFormat.TABLE,
) -> int:
    """Query an index with SQL. It is opened read-only, and a query cannot reach other files or the network.

    Without SQL and --saved, list the saved queries. Rows are printed as they are found, tables in parts of 10,000 rows.
    Parquet is written to standard output.
    """
    from statefmt.fleet import parquet_blocks, saved_queries, saved_query, streamed_query
    from statefmt.render.fleet import rows_csv, rows_json, rows_text, saved_queries_text

    if sql is not None and saved is not None:
        raise BadParameter("cannot be combined with SQL", param_hint="--saved")
    if sql is None and saved is None:
        if output_format is not QueryFormat.TABLE:
            raise BadParameter("needs SQL or --saved", param_hint="--format")
        print(saved_queries_text(list(saved_queries(queries).values()), result_terminal()))
        return FINE
    if sql is None and saved is not None:
        sql = saved_query(saved, queries).sql
    assert sql is not None
    if output_format is QueryFormat.PARQUET:
        if sys.stdout.isatty():
            raise BadParameter("parquet is binary: write it to a file with > FILE", param_hint="--format")
        for block in parquet_blocks(into, sql):
            sys.stdout.buffer.write(block)
        return FINE
    with streamed_query(into, sql) as found:
        if output_format is QueryFormat.JSON:
            for block in rows_json(found):
                sys.stdout.buffer.write(block)
        elif output_format is QueryFormat.CSV:
            for block in rows_csv(found):
                write_result(block)
        else:
            for text in rows_text(found, result_terminal()):
                print(text)
    return FINE


@examples(
    ("List the real objects that several states manage.", "statetool fleet duplicates"),
    ("Also list the copies of states.", "statetool fleet duplicates --copies"),
    ("Do so for a program.", "statetool fleet duplicates --into all.duckdb --format json"),
)
@declared(paged=True, decrypts=False, connects=False)
def fleet_duplicates_command(
    into: IntoOption = DEFAULT_INDEX,
    copies: Annotated[bool, Option("--copies", help="Also list states that are copies of one lineage.")] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """List real objects that states of different lineages manage: each may change or destroy them.

    Objects are the same if they have the same identity; if not all states have it, the same ARN; else the same type,
    id, region and account. Of copies of one lineage, only those with the highest serial count, so that an object is no
    duplicate if it was moved. Deposed objects count, since the next apply destroys them. Data sources do not, and
    neither do objects whose id is hidden, or only has a meaning within a cluster, as in Kubernetes.

    Exit status 0: there are none; 1: there are some.
    """
    from statefmt.fleet import duplicate_objects, query, state_copies
    from statefmt.render.fleet import duplicates_json, duplicates_text

    found = duplicate_objects(into)
    if unread := query(into, "SELECT count(*) FROM states WHERE error IS NOT NULL").rows[0][0]:
        say(f"statetool: not compared: {counted(unread, 'state')} that could not be read")
    copied = state_copies(into) if copies else None
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(duplicates_json(found, copied))
    else:
        for line in duplicates_text(found, copied, result_terminal()):
            print(line)
        also = "" if copied is None else f", {counted(len(copied), 'lineage')} with copies"
        say(f"statetool: {counted(len(found), 'object')} managed by states of different lineages{also}")
    return FOUND if found else FINE


class FleetGraphFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    DOT = "dot"
    MERMAID = "mermaid"
    HTML = "html"
    JSON = "json"


@examples(
    ("Show which states read which.", "statetool fleet graph --format text"),
    ("Draw that with Graphviz.", "statetool fleet graph | dot -Tsvg -o fleet.svg"),
    ("Write a page for a browser.", "statetool fleet graph --format html > fleet.html"),
)
@declared(paged=True, decrypts=False, connects=False)
def fleet_graph_command(
    into: IntoOption = DEFAULT_INDEX,
    every: Annotated[bool, Option("--all", help="Also show states that read no other and are read by none.")] = False,
    output_format: Annotated[
        FleetGraphFormat | None,
        Option(
            "--format",
            metavar="FORMAT",
            help="text (the default on a terminal), dot (the default elsewhere), mermaid, html or json.",
        ),
    ] = None,
) -> int:
    """Show which states read the outputs of which, with `terraform_remote_state`.

    References are stale if the state is not in the index or cannot be read; they are marked. The arguments of some
    backends do not say where a state is: these references are only counted.
    """
    from statefmt.fleet import fleet_graph
    from statefmt.render.graph import fleet_graph_text

    graph = fleet_graph(into)
    if not every:
        graph = graph.joined()
    output_format = output_format or (FleetGraphFormat.TEXT if sys.stdout.isatty() else FleetGraphFormat.DOT)
    if output_format is FleetGraphFormat.TEXT:
        for line in fleet_graph_text(graph, result_terminal()):
            print(line)
    else:
        write_result(_written(graph, output_format, into))
    stale = sum(one.stale is not None for one in graph.references)
    unknown = f", {len(graph.unknown):,} to unknown places" if graph.unknown else ""
    say(f"statetool: {counted(len(graph.references), 'reference')} between states, {stale:,} stale{unknown}")
    return FINE


def _written(graph: FleetGraph, output_format: FleetGraphFormat, into: Path) -> bytes:
    from statefmt.render.graph import MOST_EDGES, fleet_graph_dot, fleet_graph_json, fleet_graph_mermaid

    if output_format is FleetGraphFormat.JSON:
        return fleet_graph_json(graph)
    if output_format is FleetGraphFormat.HTML:
        require_templates()
        from statefmt.render.report.fleet_page import fleet_graph_page

        return fleet_graph_page(graph, str(into), run_context().clock())
    if output_format is FleetGraphFormat.MERMAID:
        if (edges := len(graph.references)) > MOST_EDGES:
            say(f"statetool: Mermaid draws at most {MOST_EDGES} arrows, not {edges:,}; use --format html")
        return f"{fleet_graph_mermaid(graph)}\n".encode()
    return f"{fleet_graph_dot(graph)}\n".encode()


@examples(
    ("Show what the last run found changed.", "statetool fleet diff"),
    ("Show what changed since a day.", "statetool fleet diff 2026-01-31"),
    ("Compare two runs, and list all objects and findings.", "statetool fleet diff 3 7 --full"),
    ("List the runs.", "statetool fleet query 'SELECT run_id, started, n_states FROM runs'"),
)
@declared(paged=True, decrypts=False, connects=False)
def fleet_diff_command(
    before: Annotated[
        str, Argument(metavar="[RUN]", help="The earlier run; default: previous, the one before the last.")
    ] = "previous",
    after: Annotated[str, Argument(metavar="[RUN]", help="The later run; default: latest.")] = "latest",
    into: IntoOption = DEFAULT_INDEX,
    stat: Annotated[bool, Option("--stat", help="Show only which states differ.")] = False,
    full: Annotated[bool, Option("--full", help="Show all changes of a state, not only the first ten.")] = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show what changed between two runs of `fleet index`: states, objects, outputs and findings.

    A run is a number, a place from the end (-1 or latest, -2 or previous), first, or a time such as 2026-01-31 or
    2026-01-31T12:00, in UTC: the last run that began by then. A run that was interrupted cannot be named.

    Exit status 0: no differences; 1: differences; 2: failure.
    """
    if stat and (full or output_format is not OutputFormat.TEXT):
        raise BadParameter("cannot be combined with --full and --format", param_hint="--stat")
    from statefmt.fleet import run_difference
    from statefmt.render.fleet import run_difference_json, run_difference_text

    found = run_difference(into, before, after)
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(run_difference_json(found))
    else:
        print(run_difference_text(found, result_terminal(), stat=stat, full=full))
    return FOUND if found.states else FINE
