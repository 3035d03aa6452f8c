"""The wheel: built from this checkout, installed in an empty environment, and used from an empty folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

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
        assert "install statetool[fleet]" in " ".join(done.stderr.split()), (command, done.stderr)
        assert "Traceback" not in done.stderr, command
    assert sorted(path.name for path in tmp_path.iterdir()) == ["some.duckdb", "v4-compact.tfstate"]


def test_schemas(environment: Path, tmp_path: Path) -> None:
    """Found inside the package, as there is no checkout around it."""
    program = (
        "import json, sys; from statefmt import schema_files as found\n"
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
