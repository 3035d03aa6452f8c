"""The first hour with statetool, on a terminal of 80 columns and 24 lines.

`python -m tests.cli.test_first_hour` writes the transcript into its page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.cli.states import ROOT, SAMPLES
from tests.cli.tmux import Screen

pytestmark = [pytest.mark.process, pytest.mark.packaging]

PAGE = ROOT / "docs" / "guides" / "first-hour.md"
# In names of backups.
_TIME = re.compile(r"\.\d{10}(?:-\d+)?\.(?=backup)")
_BLOCK = re.compile(r"(?<=^```shell-session\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def session(folder: Path) -> str:
    """Return what the terminal shows."""
    clone = ["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(folder / "statetool")]
    subprocess.run(clone, check=True, capture_output=True)
    shutil.copy(SAMPLES / "v3-legacy.tfstate", folder / "old.tfstate")
    shutil.copytree(SAMPLES / "regions", folder / "regions")
    shutil.copy(SAMPLES / "v4-regions.tfstate", folder / "regions" / "terraform.tfstate")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PAGER": "cat",
        "VIRTUAL_ENV_DISABLE_PROMPT": "1",
        **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))},
    }
    screen = Screen(folder, environment)
    try:
        screen.run("python3 -m venv env && . env/bin/activate")
        screen.run("pip install --quiet --disable-pip-version-check ./statetool")
        screen.run("statetool")
        screen.run("statetool mv --help | head -n 25")
        screen.run('eval "$(statetool --show-completion bash)"')
        screen.run("statetool upgrade old.tfstate -o terraform.tfstate")
        screen.run("statetool upgrade --registry terraform old.tfstate -o terraform.tfstate")
        screen.run("statetool check")
        screen.answer("statetool forget-deposed 'aws_instance.web[0]'", "[y/N]", "y")
        screen.complete("statetool mv module.netw", "module.network")
        screen.run("' module.net")
        screen.run("statetool undo")
        screen.run("cd regions")
        screen.run("statetool simulate --config . --without eu-north-1")
        return _TIME.sub(".1795351693.", screen.transcript()).rstrip() + "\n"
    finally:
        screen.close()


def test_transcript(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    shown = session(tmp_path / "work")
    assert [shown] == _BLOCK.findall(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "work").mkdir()
        transcript = session(Path(name) / "work")
    PAGE.write_text(_BLOCK.sub(lambda _: transcript, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
