"""The shell steps of the composite action do what they say, with the runner's part played by this test."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


def _step(name: str) -> dict[str, Any]:
    return next(step for step in STEPS if step["name"] == name)


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A runner's folders, with statetool installed where the first step installs it."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not on PATH")
    program = tmp_path / "runner/statetool/bin/statetool"
    program.parent.mkdir(parents=True)
    program.symlink_to(Path(sys.executable).parent / "statetool")
    (tmp_path / "work").mkdir()
    return tmp_path


def _check(runner: Path, **inputs: str) -> dict[str, str]:
    """Run the step Check with some inputs; gives its outputs."""
    given = {name: setting["default"] for name, setting in ACTION["inputs"].items()} | {
        name.replace("_", "-"): value for name, value in inputs.items()
    }
    step = _step("Check")
    environment = {
        name: given[expression.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, expression in step["env"].items()
    }
    output = runner / "output"
    output.write_text("", encoding="utf-8")
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=runner / "work",
        env={
            "PATH": os.environ["PATH"],
            "RUNNER_TEMP": str(runner / "runner"),
            "GITHUB_OUTPUT": str(output),
            **environment,
        },
        check=True,
    )
    return dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    ("sample", "inputs", "status"),
    [
        ("v4-resource-level.tfstate", {}, "0"),
        ("broken/duplicate-instance.tfstate", {}, "1"),
        ("broken/both-levels.tfstate", {}, "0"),
        ("broken/both-levels.tfstate", {"fail_on": "warning"}, "1"),
        ("broken/both-levels.tfstate", {"fail_on": "warning", "arguments": "--ignore PRV001,STA"}, "0"),
        ("broken/truncated.tfstate", {}, "2"),
    ],
    ids=["good", "error", "warning", "fail on warning", "with arguments", "no state"],
)
def test_status_is_that_of_check(sample: str, inputs: dict[str, str], status: str, runner: Path) -> None:
    shutil.copy(ROOT / "samples" / sample, runner / "work/one.tfstate")
    outputs = _check(runner, **inputs)
    assert outputs == {"sarif-file": "statetool.sarif", "status": status}
    log = json.loads((runner / "work/statetool.sarif").read_bytes())
    assert log["version"] == "2.1.0"
    done = subprocess.run(
        ["bash", "-c", _step("Fail where something was found")["run"]], env={"STATUS": status}, check=False
    )
    assert done.returncode == int(status)


def test_several_states_are_words(runner: Path) -> None:
    for name in ("a", "b"):
        shutil.copy(ROOT / "samples/v4-resource-level.tfstate", runner / f"work/{name}.tfstate")
    assert _check(runner, states="a.tfstate *.tfstate")["status"] == "0"


def test_the_sarif_file_that_was_written_is_uploaded() -> None:
    upload = _step("Upload")
    assert upload["uses"].startswith("github/codeql-action/upload-sarif@")
    assert upload["with"]["sarif_file"] == "${{ steps.check.outputs.sarif-file }}"
    assert _step("Check")["id"] == "check"


def test_links_of_a_stranger_lead_no_report_elsewhere(runner: Path) -> None:
    shutil.copy(ROOT / "samples/v4-resource-level.tfstate", runner / "work/one.tfstate")
    victim = runner / "victim"
    victim.mkdir()
    (victim / "bashrc").write_text("precious")
    (runner / "work/statetool.sarif").symlink_to(victim / "bashrc")
    assert _check(runner)["status"] == "0"
    assert json.loads((runner / "work/statetool.sarif").read_bytes())["version"] == "2.1.0"
    (runner / "work/reports").symlink_to(victim)
    with pytest.raises(subprocess.CalledProcessError):
        _check(runner, sarif_file="reports/statetool.sarif")
    assert _check(runner, sarif_file=str(victim / "named.sarif"))["status"] == "0"
    assert (victim / "bashrc").read_text() == "precious"
    assert {path.name for path in victim.iterdir()} == {"bashrc", "named.sarif"}


def test_no_module_of_a_stranger_is_run(tmp_path: Path) -> None:
    """Python would take modules such as `venv` from the workspace, in which the steps run."""
    for name in ("venv", "pip", "json", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("open('made', 'w').close()\n")
    commands = re.findall(r"""(?:python3|/bin/python")(.*? -m \w+)""", _step("Install statetool")["run"])
    assert len(commands) == 3
    for options in commands:
        subprocess.run([sys.executable, *options.split(), "--help"], cwd=tmp_path, check=True, capture_output=True)
        assert not (tmp_path / "made").exists(), options
