"""The Dockerfile: its steps, run here in place of an image, since Docker needs a daemon.

COPY copies from what .dockerignore leaves, RUN and ENTRYPOINT run in a shell; /opt, /src and /work are folders of the
test. The base image and USER are not tried.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
_TEXT: Final = (ROOT / "Dockerfile").read_text("utf-8")
STEPS: Final = [tuple(line.split(" ", 1)) for line in _TEXT.splitlines() if line and not line.startswith("#")]
_CONTEXT: Final = {
    line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
}


def test_what_is_copied_is_in_the_context() -> None:
    copied = [shlex.split(rest) for name, rest in STEPS if name == "COPY" and not rest.startswith("--from")]
    assert {source for words in copied for source in words[:-1]} == _CONTEXT
    assert all((ROOT / name).exists() for name in _CONTEXT)


def test_the_image_has_python_and_no_root() -> None:
    (base,) = {rest.removeprefix("BASE=") for name, rest in STEPS if name == "ARG"}
    supported = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert base.removeprefix("python:").removesuffix("-slim") in supported
    assert [rest for name, rest in STEPS if name == "USER"] == ["65534:65534"]


def test_the_base_can_be_named_by_digest() -> None:
    """It is one argument for all stages, and the image of the workflow is built from the digest of the tag."""
    assert {rest.split()[0] for name, rest in STEPS if name == "FROM"} == {"$BASE"}
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    builds = re.findall(r"docker build\b[^\n]*", workflow)
    assert builds == ['docker build --build-arg "BASE=$digest" --tag statetool .']
    assert "digest=$(docker image inspect --format '{{index .RepoDigests 0}}' \"$base\")" in workflow


def test_the_steps_build_what_the_entry_point_runs(tmp_path: Path) -> None:
    system = {f"/{name}": tmp_path / name for name in ("opt", "src", "work")}
    for folder in system.values():
        folder.mkdir()
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    folder = tmp_path

    def here(text: str) -> str:
        return re.sub(r"(?<![\w.])/(opt|src|work)\b", lambda found: str(system[found[0]]), text)

    for name, rest in STEPS:
        if name == "WORKDIR":
            folder = Path(here(rest))
        elif name == "ENV":
            variable, _, value = here(rest).partition("=")
            environment[variable] = value.replace("$PATH", environment["PATH"])
        elif name == "COPY" and not rest.startswith("--from"):
            *sources, target = shlex.split(rest)
            for source in sources:
                _copy(ROOT / source, folder / target if target != "./" else folder / source)
        elif name == "RUN":
            done = subprocess.run(
                here(rest), shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            if "No matching distribution" in done.stderr:
                pytest.skip("no package index")
            assert done.returncode == 0, done.stderr
        else:
            assert name in ("ARG", "FROM", "COPY", "USER", "ENTRYPOINT"), name
    shutil.rmtree(system["/src"])
    shutil.copy(ROOT / "samples" / "v4-regions.tfstate", folder)
    assert folder == system["/work"]
    assert STEPS[-1] == ("ENTRYPOINT", '["statetool"]')
    program = shutil.which("statetool", path=environment["PATH"])
    assert program == str(system["/opt"] / "statetool" / "bin" / "statetool")
    shown = subprocess.run(
        [program, "list", "--state", "v4-regions.tfstate"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "aws_iam_role.app\n" in shown.stdout


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)
