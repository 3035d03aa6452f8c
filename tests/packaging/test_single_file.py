"""`make zipapp`: one file that runs without statetool being installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def single_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("zipapp")
    settings = [f"ZIPAPP={folder / 'statetool'}", f"PYTHON={sys.executable}", f"VENV={sys.prefix}"]
    # The environment of this test is ready, whatever make thinks of its age.
    command = ["make", f"--assume-old={sys.prefix}/.ready", *settings, "zipapp"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=_environment(folder))
    if "No matching distribution" in done.stderr:
        pytest.skip("no package index")
    assert done.returncode == 0, done.stderr
    return Path(shutil.move(folder / "statetool.pyz", folder / "alone.pyz"))


def _environment(folder: Path) -> dict[str, str]:
    """The one file unpacks itself below PEX_ROOT, the user's cache otherwise."""
    return {**os.environ, "PEX_ROOT": str(folder / "unpacked"), "LC_ALL": "C.UTF-8"}


def _run(single_file: Path, line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "PEX_ROOT": str(folder / "unpacked")}
    command = [str(single_file), *line.split()]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_it_runs_on_its_own(single_file: Path, tmp_path: Path) -> None:
    """From another folder than it was built in, with libraries that are compiled: states, patterns, HCL, encryption."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    (tmp_path / "main.tf").write_text('locals {\n  a = regex("^a+$", "aa")\n}\n')
    version = _run(single_file, "--version", tmp_path)
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout.startswith("statetool ")
    assert _run(single_file, "list --state samples/v4-regions.tfstate **.aws_vpc.*", tmp_path).returncode == 0
    checked = _run(single_file, "check --config . --no-state", tmp_path)
    assert checked.returncode == 0, checked.stderr
    moved = _run(single_file, "mv aws_vpc.main aws_vpc.net --state samples/v4-regions.tfstate", tmp_path)
    assert moved.returncode == 0, moved.stderr
    (tmp_path / "c.hcl").write_text(
        'key_provider "pbkdf2" "sample" {\n  passphrase = "a sample passphrase, never to be used"\n}\n'
        'method "aes_gcm" "sample" {\n  keys = key_provider.pbkdf2.sample\n}\n'
        "state {\n  method = method.aes_gcm.sample\n}\n"
    )
    opened = _run(single_file, "list --encryption c.hcl --state samples/encrypted.tfstate", tmp_path)
    assert opened.returncode == 0, opened.stderr
    # Nothing of the source tree or of an installation is used.
    assert str(ROOT) not in _run(single_file, "nothing", tmp_path).stderr
