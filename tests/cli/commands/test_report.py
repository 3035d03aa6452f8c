"""`report`: where the page goes, and what it never replaces."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES

SAMPLE = str(SAMPLES / "v4-regions.tfstate")
_START = b"<!doctype html>"


def test_it_is_written_for_its_owner_alone(statetool: Statetool, folder: Path) -> None:
    result = statetool("report", SAMPLE, "-o", "report.html")
    assert (result.status, result.out, result.err) == (0, b"", "report.html: written\n")
    report = folder / "report.html"
    assert report.read_bytes().startswith(_START)
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_an_earlier_report_is_replaced(statetool: Statetool, folder: Path) -> None:
    report = folder / "report.html"
    assert statetool("report", SAMPLE, "-o", "report.html").status == 0
    first = report.read_bytes()
    assert statetool("report", str(SAMPLES / "v4-empty.tfstate"), "-o", "report.html").status == 0
    assert report.read_bytes() != first
    assert b"v4-empty.tfstate" in report.read_bytes()


@pytest.mark.parametrize("content", [(SAMPLES / "v4-empty.tfstate").read_bytes(), b"", b"<!doctype html>\n<html>"])
def test_nothing_else_is_replaced(statetool: Statetool, folder: Path, content: bytes) -> None:
    file = folder / "file"
    file.write_bytes(content)
    result = statetool("report", SAMPLE, "-o", "file")
    assert (result.status, result.out) == (2, b"")
    assert "file: the file exists and is not a report; name another file" in result.err
    assert file.read_bytes() == content


def test_by_default_it_is_printed(statetool: Statetool) -> None:
    assert statetool("report", SAMPLE).out.startswith(_START)
    assert statetool("report", SAMPLE, "-o", "-").out.startswith(_START)


def test_a_link_is_not_followed(statetool: Statetool, folder: Path) -> None:
    assert statetool("report", SAMPLE, "-o", "report.html").status == 0
    before = (folder / "report.html").read_bytes()
    (folder / "link").symlink_to("report.html")
    result = statetool("report", str(SAMPLES / "v4-empty.tfstate"), "-o", "link")
    assert result.status == 2
    assert "symbolic link" in result.err
    assert (folder / "report.html").read_bytes() == before


def test_findings_are_those_of_check(statetool: Statetool, folder: Path) -> None:
    """With a baseline, settings and a configuration."""
    assert b"INS006" in statetool("report", SAMPLE).out
    statetool("check", SAMPLE, "--write-baseline", "known.json")
    known = statetool("report", SAMPLE, "--baseline", "known.json").out
    assert b"INS006" not in known
    assert b"Not shown: 1 that the baseline has." in known
    assert b"INS006" not in statetool("report", SAMPLE, "--ignore", "INS").out
    (folder / "statetool.toml").write_text('ignore = ["INS"]\n')
    assert b"INS006" not in statetool("report", SAMPLE).out
    assert b"INS006" in statetool("report", SAMPLE, "--no-settings").out
    (folder / "main.tf").write_text('resource "aws_instance" "web" {}\n')
    found = statetool("check", "--config", ".", "--format", "json", SAMPLE).out
    compared = statetool("report", "--config", ".", SAMPLE).out
    codes = set(re.findall(rb'"code": ?"([A-Z]{3}[0-9]{3})"', found))
    assert codes
    assert codes == set(re.findall(rb"<code>([A-Z]{3}[0-9]{3})</code>", compared))


@pytest.mark.parametrize(
    "arguments", [("--fleet", "x.duckdb", SAMPLE), ("--config", ".", SAMPLE, SAMPLE), ("--fleet", "x", "--config", ".")]
)
def test_contradictions_are_refused(statetool: Statetool, folder: Path, arguments: tuple[str, ...]) -> None:
    result = statetool("report", *arguments)
    assert (result.status, result.out) == (2, b"")


def test_what_is_no_index_is_refused(statetool: Statetool, folder: Path) -> None:
    (folder / "x.duckdb").write_bytes(b"text")
    assert (
        "cannot open this index: it is not a database of DuckDB; name another file\n"
        in statetool("report", "--fleet", "x.duckdb").err
    )
    assert "there is no such index" in statetool("report", "--fleet", "y.duckdb").err
