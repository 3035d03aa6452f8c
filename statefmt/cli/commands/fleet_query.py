"""`statetool fleet query`: queries an index of states."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt.cli.exit_status import FINE
from statefmt.cli.options.fleet_options import DEFAULT_INDEX, IntoOption
from statefmt.cli.options.takes import declared
from statefmt.cli.streams import result_terminal, write_result


class QueryFormat(StrEnum):
    """The output format of a query."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"


@declared(
    paged=True,
    decrypts=False,
    connects=False,
    examples=(
        ("List the saved queries.", "statetool fleet query"),
        ("Show which releases write the states.", "statetool fleet query --saved versions-in-use"),
        ("Count the objects of each state.", "statetool fleet query 'SELECT uri, n_objects FROM states'"),
    ),
)
def fleet_query_command(
    sql: Annotated[str | None, Argument(metavar="[SQL]", help="One SELECT in the SQL of DuckDB.")] = None,
    into: IntoOption = DEFAULT_INDEX,
    saved: Annotated[str | None, Option(metavar="NAME", help="Run this saved query.")] = None,
    queries: Annotated[
        Path | None, Option(metavar="DIR", help="Also use the saved queries in this folder: NAME.sql.")
    ] = None,
    output_format: Annotated[
        QueryFormat,
        Option("--format", metavar="FORMAT", show_default=False, help="table (the default), json, csv, parquet."),
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
