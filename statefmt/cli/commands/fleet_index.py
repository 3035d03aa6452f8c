"""`statetool fleet index`: stores what many states say in a database."""

from __future__ import annotations

from typing import Annotated, Final

from typer import Argument, BadParameter, Option

from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.fleet_worker import read_states
from statefmt.cli.options.cluster_options import ClusterOptions, cluster_options
from statefmt.cli.options.duration import seconds
from statefmt.cli.options.fleet_options import DEFAULT_INDEX, IntoOption
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.render.terminal import counted

_MOST_SHOWN: Final = 10


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Index all states below a folder.", "statetool fleet index infra"),
        (
            "Index the states in a bucket below app/, and those in git, in another file.",
            "statetool fleet index s3://states/app/ git:main: --into all.duckdb",
        ),
        ("Index without running the rules.", "statetool fleet index infra --no-check"),
        ("Give up on states that are huge or slow.", "statetool fleet index infra --max-size 20MiB --timeout 30s"),
        (
            "Read the states on the machines of a Dask cluster.",
            "statetool fleet index s3://states/app/ --scheduler tls://scheduler:8786",
        ),
    ),
)
@takes(cluster=cluster_options)
def fleet_index_command(
    sources: Annotated[
        list[str], Argument(metavar="SOURCE...", help="Files, folders, globs, git:REVISION:FOLDER, URLs.")
    ],
    into: IntoOption = DEFAULT_INDEX,
    check: Annotated[bool, Option("--check/--no-check", help="Also store findings.")] = True,
    attributes: Annotated[
        bool, Option("--attributes", help="Also store attributes and outputs but sensitive ones.")
    ] = False,
    workers: Annotated[
        int | None, Option(metavar="N", min=1, help="Use N processes; default: one per processor.")
    ] = None,
    max_size: Annotated[
        str | None,
        Option(
            "--max-size",
            metavar="SIZE",
            help="The largest state, such as 1GiB; default: STATETOOL_MAX_SIZE, or 192MiB.",
        ),
    ] = None,
    timeout: Annotated[
        str | None,
        Option(
            metavar="DURATION", help="The longest time for a state, such as 30s; default: STATETOOL_TIMEOUT, or 10m."
        ),
    ] = None,
    *,
    cluster: ClusterOptions,
) -> int:
    """Index states in a DuckDB file, for `fleet query`. A state that has not changed is not read again.

    A folder stands for the *.tfstate files below it and all workspaces of its backend, s3://BUCKET/PREFIX/ for the
    *.tfstate objects below a prefix, pg://HOST/DATABASE for all states of a database or, with ?schema=NAME, of a
    schema. git:REVISION:FOLDER takes an absolute folder for another repository.

    The index keeps the states of sources that are not named again or cannot be listed. A state that cannot be read, is
    larger than --max-size or takes longer than --timeout is recorded with the reason. Sensitive values are never
    stored.

    Exit status 0: all states were read; 2: some states or sources were not.
    """
    from statefmt.fleet import IndexOptions, index_states

    options = IndexOptions(
        checks=check,
        attributes=attributes,
        workers=workers,
        cluster=cluster.given(read_states, workers),
        max_size=max_size,
        timeout=None if timeout is None else _seconds(timeout),
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
    # What failed is read again in each run.
    read, unchanged = run.read - len(run.failed), run.states - run.read
    print(f"{into}: {counted(run.states, 'state')}: {read:,} read, {unchanged:,} unchanged{removed}{failed}")
    return FAILED if run.failed or run.missing else FINE


def _seconds(text: str) -> float:
    found = seconds(text, "--timeout")
    if not found:
        raise BadParameter("a state takes some time: write 30s or 5m", param_hint="--timeout")
    return found
