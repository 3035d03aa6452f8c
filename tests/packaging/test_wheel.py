"""The wheel: built from this checkout, installed in an empty environment, and used from an empty folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.packaging.conftest import ROOT

SCHEMAS = sorted(path.name for path in (ROOT / "schemas").iterdir())


def _run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    variables = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def test_what_is_in_it(wheel: Path) -> None:
    """The package, its licence and the schemas; no tests, no samples, nothing that was left lying around."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"statefmt", "statetool"}
    schemas = [name for name in names if name.startswith("statefmt/schemas/")]
    assert sorted(name.removeprefix("statefmt/schemas/") for name in schemas) == SCHEMAS
    assert "statefmt/py.typed" in names
    assert any(name.endswith("/LICENSE") for name in names)
    assert [name for name in names if name.endswith((".pyc", ".tfstate"))] == []
    # Files that code reads: saved queries, and the templates of reports.
    read = [path for folder in ("fleet/queries/sql", "render") for path in (ROOT / "statefmt" / folder).rglob("*.*")]
    wanted = {path.relative_to(ROOT).as_posix() for path in read if path.suffix in (".sql", ".html", ".css", ".js")}
    assert len(wanted) >= 20
    assert wanted <= set(names)


def test_upgrade(environment: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "samples" / "v3-legacy.tfstate", tmp_path)
    statetool = environment / "bin" / "statetool"
    upgraded = _run(
        statetool, "upgrade", "--registry", "opentofu", "v3-legacy.tfstate", "-o", "new.tfstate", folder=tmp_path
    )
    assert (upgraded.returncode, upgraded.stdout) == (0, ""), upgraded.stderr
    assert upgraded.stderr.startswith("v3-legacy.tfstate: format version 3 → 4\n")
    assert (
        (tmp_path / "new.tfstate").read_bytes().startswith(b'{\n  "version": 4,\n  "terraform_version": "0.11.14",\n')
    )
    checked = _run(statetool, "check", "new.tfstate", folder=tmp_path)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "\n1 state checked: " in checked.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.tfstate", "v3-legacy.tfstate"]


def test_fleets_need_an_extra(environment: Path, tmp_path: Path) -> None:
    """Without it, commands name the way out, write nothing, and still list the saved queries."""
    shutil.copy(ROOT / "samples" / "v4-compact.tfstate", tmp_path)
    statetool = environment / "bin" / "statetool"
    listed = _run(statetool, "fleet", "query", folder=tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "versions-in-use" in listed.stdout
    (tmp_path / "some.duckdb").write_bytes(b"an index")
    for command in (
        ("fleet", "index", "v4-compact.tfstate"),
        ("fleet", "query", "--saved", "largest", "--into", "some.duckdb"),
        ("fleet", "query", "SELECT 1", "--format", "parquet", "--into", "some.duckdb"),
        ("fleet", "check", "--into", "some.duckdb"),
        ("fleet", "diff", "--into", "some.duckdb"),
        ("fleet", "duplicates", "--into", "some.duckdb"),
        ("fleet", "graph", "--into", "some.duckdb"),
        ("report", "v4-compact.tfstate"),
    ):
        done = _run(statetool, *command, folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), command
        message = " ".join(done.stderr.split())
        assert re.search(r"needs? the package (duckdb|jinja2): run \S+ pip install ", message), (command, message)
        assert "jinja2<4,>=3.1" in message, (command, message)
        assert "Traceback" not in done.stderr, command
    assert sorted(path.name for path in tmp_path.iterdir()) == ["some.duckdb", "v4-compact.tfstate"]


def test_regular_expressions_need_an_extra(environment: Path, tmp_path: Path) -> None:
    """Without google-re2, what needs it names it and writes nothing; a configuration's value is unknown."""
    shutil.copy(ROOT / "samples" / "v4-regions.tfstate", tmp_path)
    (tmp_path / "main.tf").write_text(
        'locals {\n  kept = toset([for each in ["eu"] : each if length(regexall("^e", each)) > 0])\n}\n'
        'provider "aws" {\n  alias    = "by_region"\n  for_each = local.kept\n}\n'
        'terraform {\n  required_providers {\n    aws = { source = "hashicorp/aws" }\n  }\n}\n'
    )
    statetool = environment / "bin" / "statetool"
    before = (tmp_path / "v4-regions.tfstate").read_bytes()
    state = ("--state", "v4-regions.tfstate")
    for command in (
        ("grep", "-E", "^ami", *state),
        ("grep", "-i", "AMI", *state),
        ("list", "--where", "id=~^x", *state),
        ("mv", "aws_vpc.*", "aws_vpc.${1}_new", "--yes", *state),
    ):
        done = _run(statetool, *command, folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), command
        message = " ".join(done.stderr.split())
        assert "the package google-re2: run " in message, (command, message)
    assert (tmp_path / "v4-regions.tfstate").read_bytes() == before
    checked = _run(statetool, "check", "--config", ".", "--select", "CFS", "v4-regions.tfstate", folder=tmp_path)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "regular expressions need the package google-re2" in " ".join(checked.stdout.split()), checked
    # Nothing else does: wildcards, strings, configurations.
    assert _run(statetool, "grep", "ami", *state, folder=tmp_path).returncode in (0, 1)
    assert _run(statetool, "list", "aws_vpc.*", *state, folder=tmp_path).returncode == 0


def test_the_printed_command_installs_what_is_missing(environment: Path, tmp_path: Path) -> None:
    shutil.copytree(environment, tmp_path / "venv", symlinks=True)
    shutil.copy(ROOT / "samples" / "v4-compact.tfstate", tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    report = (python, "-m", "statefmt", "report", "v4-compact.tfstate", "-o", "report.html")
    missing = _run(*report, folder=tmp_path)
    assert missing.returncode == 2
    command = shlex.split(" ".join(missing.stderr.split()).partition(": run ")[2])
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, env={**os.environ, "PATH": programs}, capture_output=True, text=True, check=False)
    if done.returncode and "Failed to fetch" in done.stderr:
        pytest.skip("no package index")
    assert done.returncode == 0, done.stderr
    made = _run(*report, folder=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "report.html").exists()


def test_schemas(environment: Path, tmp_path: Path) -> None:
    """Found inside the package, as there is no checkout around it."""
    program = (
        "import json, sys; from statefmt import schema_problems as found\n"
        "assert found.__file__.startswith(sys.prefix), found.__file__\n"
        "print(json.dumps({name: found.schema_text(name).decode() for name in found.schema_names()}))"
    )
    shown = _run(environment / "bin" / "python", "-c", program, folder=tmp_path)
    assert shown.stderr == ""
    assert json.loads(shown.stdout) == {
        name.removesuffix(".schema.json"): (ROOT / "schemas" / name).read_text("utf-8") for name in SCHEMAS
    }


def test_typed_and_importable(environment: Path, tmp_path: Path) -> None:
    """The library does what the README's first lines say, with nothing but its own dependencies."""
    shutil.copy(ROOT / "samples" / "v4-compact.tfstate", tmp_path)
    program = (
        "import statefmt, pathlib; data = pathlib.Path('v4-compact.tfstate').read_bytes()\n"
        "print(statefmt.read(data).snapshot.serial, statefmt.check(data), statefmt.__version__)"
    )
    shown = _run(environment / "bin" / "python", "-c", program, folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("9 [] ")
