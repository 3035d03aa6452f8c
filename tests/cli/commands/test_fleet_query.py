"""`statetool fleet query`: its formats, saved queries, and results that are larger than the memory."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.test_json_output import _assert_valid
from tests.fleet.planting import indexed, made, planted

pytest.importorskip("duckdb")

_SQL = "SELECT address, NULL AS nothing, [1, 2] AS list, 'inf'::DOUBLE AS large, true AS yes FROM objects"


@pytest.fixture(scope="module")
def index_of_one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("one"), {"a": planted(made("aws_vpc", '\x1b[2J"x,\n', id="1"))})


@pytest.fixture
def index(index_of_one: Path, folder: Path) -> Path:
    return Path(shutil.copy(index_of_one, folder))


def test_json(index: Path, statetool: Statetool) -> None:
    document = json.loads(statetool("fleet", "query", "--into", str(index), _SQL, "--format", "json").out)
    _assert_valid(document, "fleet-query-output")
    ((address, *row),) = document["rows"]
    assert address == 'aws_vpc.\x1b[2J"x,\n'
    assert row[:4] == [None, [1, 2], "inf", True]


def test_json_without_rows(index: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "query", "--into", str(index), "SELECT 1 AS a WHERE false", "--format", "json")
    _assert_valid(json.loads(found.out), "fleet-query-output")
    assert json.loads(found.out)["rows"] == []


def test_csv(index: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "query", "--into", str(index), _SQL, "--format", "csv")
    heading, row = csv.reader(io.StringIO(found.text, newline=""))
    assert heading[:3] == ["address", "nothing", "list"]
    assert row[:5] == ['aws_vpc.\x1b[2J"x,\n', "", "1, 2", "inf", "true"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\uff1d"])
def test_csv_has_no_formulas(start: str, index: Path, statetool: Statetool) -> None:
    sql = f"SELECT '{start}HYPERLINK(1)' AS a, -1 AS b, -1.5 AS c, '-' AS d, NULL AS e, true AS f"
    found = statetool("fleet", "query", "--into", str(index), sql, "--format", "csv")
    (_, row) = csv.reader(io.StringIO(found.text, newline=""))
    assert row == [f"'{start}HYPERLINK(1)", "-1", "-1.5", "'-", "", "true"]


def test_csv_ends_lines_in_line_feeds_and_quotes_carriage_returns(index: Path, statetool: Statetool) -> None:
    sql = "SELECT chr(13) AS a, 'x' || chr(13) || chr(10) AS b UNION ALL SELECT NULL, 'y' ORDER BY b"
    found = statetool("fleet", "query", "--into", str(index), sql, "--format", "csv")
    assert found.out == b'a,b\n"\'\r","x\r\n"\n,y\n'


def test_a_table_has_no_control_characters(index: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "query", "--into", str(index), 'SELECT address AS "\x1b[1m" FROM objects')
    assert found.text.splitlines() == ["\\x1b[1m", 'aws_vpc.\\x1b[2J"x,\\x0a']


@pytest.mark.parametrize("output_format", ["table", "json", "csv"])
def test_batches(output_format: str, index: Path, statetool: Statetool) -> None:
    sql = "SELECT range AS n FROM range(25000)"
    text = statetool("fleet", "query", "--into", str(index), sql, "--format", output_format).text
    if output_format == "json":
        assert json.loads(text)["rows"] == [[number] for number in range(25_000)]
        return
    lines = [line.strip() for line in text.splitlines()]
    assert lines.count("n") == (3 if output_format == "table" else 1)
    assert [int(line) for line in lines if line != "n"] == list(range(25_000))


@pytest.mark.parametrize("output_format", ["table", "json", "csv"])
def test_a_reader_that_leaves_ends_an_endless_query(output_format: str, index: Path, program: Program) -> None:
    line = f"statetool fleet query --into {index} 'SELECT range FROM range(1000000000000)' --format {output_format}"
    found = program.in_shell(f"{line} | head -n 3")
    assert (len(found.text.splitlines()), found.err) == (3, "")


def test_saved_queries(index: Path, statetool: Statetool) -> None:
    Path("own").mkdir()
    Path("own/mine.sql").write_text("-- Mine \x1b[2J.\nSELECT 42 AS answer")
    listed = statetool("fleet", "query", "--queries", "own").text
    assert "duplicates" in listed
    assert "Mine \\x1b[2J." in listed
    found = statetool("fleet", "query", "--into", str(index), "--queries", "own", "--saved", "mine")
    assert found.text.split() == ["answer", "42"]
    refused = statetool("fleet", "query", "--into", str(index), "--queries", "own", "--saved", "own/mine.sql")
    assert (refused.status, "there is no saved query" in refused.err) == (2, True)


def test_a_saved_query_of_others_only_reads(index: Path, statetool: Statetool) -> None:
    Path("own").mkdir()
    Path("own/mine.sql").write_text("-- Mine.\nCOPY states TO 'stolen.csv'")
    found = statetool("fleet", "query", "--into", str(index), "--queries", "own", "--saved", "mine")
    assert (found.status, Path("stolen.csv").exists()) == (2, False)


def test_the_list_of_saved_queries_has_one_format(statetool: Statetool, folder: Path) -> None:
    """A script that expects JSON does not get a table."""
    result = statetool("fleet", "query", "--format", "json")
    assert (result.status, result.out) == (2, b"")
    assert "Invalid value for --format: needs SQL or --saved" in result.err
