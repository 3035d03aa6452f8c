"""Results go to standard output, everything else to standard error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import HAND_EDITED, INDENTED, SAMPLES, V3

SILENT = r"\A\Z"

# What is run, what standard output matches, what standard error matches.
CASES = [
    ("check good", r"\A1 state checked: no findings\n\Z", SILENT),
    ("check edited", r"\Ainfo    STA007 \[\*\]  edited\b", SILENT),
    ("check mixed", r"\Aerror   PRV003 aws_s3_bucket\.logs  mixed:\d+:\d+\n", SILENT),
    ("check missing", SILENT, r"\Astatetool: missing: there is no such file\n\Z"),
    ("list --state good", SILENT, SILENT),
    ("list --state v3", SILENT, SILENT),
    ("list --state good a.b", SILENT, r"\Astatetool: no resource instance matches 'a\.b'\n\Z"),
    ("list --state mixed", SILENT, r"\Astatetool: mixed: this state cannot be used\n  error PRV003 "),
    ("fmt good", SILENT, SILENT),
    ("fmt edited", SILENT, r"\Aedited: formatted; the previous file is kept in\s+edited\.\d+\.backup\n\Z"),
    ("fmt --check good", SILENT, SILENT),
    ("fmt --check edited", r"\Aedited\n\Z", SILENT),
    ("fmt --stdout good", r'\A\{\n  "version": 4,\n[^\x00]*\n\}\n\Z', SILENT),
    ("fmt --stdout edited", r'\A\{\n  "version": 4,\n[^\x00]*\n\}\n\Z', SILENT),
    ("fmt v3", SILENT, r"\Astatetool: v3: this state has format version 3\b"),
    ("upgrade v3", r'\A\{\n  "version": 4,\n[^\x00]*\n\}\n\Z', r"\Av3: format version 3 → 4\n"),
    ("upgrade v3 -o -", r'\A\{\n  "version": 4,\n[^\x00]*\n\}\n\Z', r"\Av3: format version 3 → 4\n"),
    ("upgrade v3 -o new", SILENT, r"\Av3: format version 3 → 4\n[^\x00]*  written to new\n\Z"),
    ("upgrade v3 --in-place", SILENT, r"\Av3: format version 3 → 4\n[^\x00]*v3\.\d+\.backup\n\Z"),
    ("upgrade mixed", SILENT, r"\Astatetool: mixed: this state cannot be used\n  error PRV003 "),
    ("--version", r"\Astatetool \d+\.\d+\.\d+\n\Z", SILENT),
    ("--help", r"\AUsage: statetool \[OPTIONS\] COMMAND", SILENT),
    ("upgrade --help", r"\AUsage: statetool upgrade \[OPTIONS\]", SILENT),
    ("frobnicate", SILENT, r"\bNo such command 'frobnicate'"),
]


@pytest.fixture(autouse=True)
def states(folder: Path) -> None:
    (folder / "good").write_bytes(INDENTED)
    (folder / "edited").write_bytes(HAND_EDITED)
    (folder / "v3").write_bytes(V3)
    (folder / "mixed").write_bytes((SAMPLES / "broken" / "mixed-configurations.tfstate").read_bytes())


@pytest.mark.parametrize(("line", "out", "err"), CASES, ids=[case[0] for case in CASES])
def test_streams(line: str, out: str, err: str, statetool: Statetool) -> None:
    result = statetool(*line.split())
    assert re.search(out, result.text), result
    assert re.search(err, result.err), result
