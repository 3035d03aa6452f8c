"""`report`: where the page goes, and what it never replaces."""

from __future__ import annotations

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
