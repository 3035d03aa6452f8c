"""What stands in two places about the project says the same in both."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import statefmt

_ROOT: Final = Path(__file__).resolve().parents[2]
_GITHUB: Final = _ROOT / ".github"
_PROJECT: Final = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
_MAKEFILE: Final = (_ROOT / "Makefile").read_text("utf-8")


def _workflow(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((_GITHUB / "workflows" / f"{name}.yml").read_text("utf-8"))
    return content


def test_ci_runs_on_every_python_that_is_declared() -> None:
    matrix = _workflow("ci")["jobs"]["check"]["strategy"]["matrix"]
    declared = re.findall(r"Python :: (\d\.\d+)", "\n".join(_PROJECT["classifiers"]))
    assert matrix["python"] == declared
    assert _PROJECT["requires-python"] == f">={declared[0]}"
    assert matrix["os"] == ["ubuntu-latest", "macos-latest"]


@pytest.mark.parametrize("path", sorted((_GITHUB / "workflows").iterdir()), ids=lambda path: path.stem)
def test_workflows_run_targets_that_exist(path: Path) -> None:
    workflow = _workflow(path.stem)
    lines = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    matrices = [job.get("strategy", {}).get("matrix", {}) for job in workflow["jobs"].values()]
    targets = {target for matrix in matrices for target in matrix.get("target", ())}
    targets |= set(re.findall(r"\bmake ([a-z-]+)", "\n".join(lines)))
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", _MAKEFILE, re.MULTILINE), target
    # What a job may do is said for each workflow; the default may be everything.
    assert workflow["permissions"] == {"contents": "read"}


def test_only_tags_are_published() -> None:
    publish = _workflow("release")["jobs"]["publish"]
    assert publish["if"] == "github.event_name == 'push'"
    # YAML 1.1 reads the key `on` as true.
    assert _workflow("release")[True]["push"] == {"tags": ["v*"]}  # type: ignore[index]


@pytest.mark.parametrize("path", sorted((_GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.stem)
def test_issue_forms_have_what_github_asks_for(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    assert form.keys() >= {"name", "description", "body"}
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields) > 0
    assert all(field["attributes"]["label"] for field in fields)


def test_pinned_packages() -> None:
    """Each with a hash; everything that pyproject.toml names, in a release that it allows; no index."""
    packaging = pytest.importorskip("packaging.requirements")
    text = (_ROOT / "constraints.txt").read_text("utf-8")
    assert re.findall(r"^\s*--(?!hash=sha256:)|://", text, re.MULTILINE) == []
    pins = dict(re.findall(r"^(\S+)==(\S+)(?=[^\n]*\\\n    --hash=sha256:)", text, re.MULTILINE))
    assert len(pins) == len(re.findall(r"^[^#\s]", text, re.MULTILINE))
    for line in [*_PROJECT["dependencies"], *_PROJECT["optional-dependencies"]["dev"]]:
        wanted = packaging.Requirement(line)
        assert wanted.specifier.contains(pins[wanted.name]), line


def test_version_has_one_place() -> None:
    """Pages that show how to pin statetool show this release, and the changelog begins with it."""
    assert "version" in _PROJECT["dynamic"]
    shown = re.findall(r"(?:statetool@|rev: )v(\S+)", (_ROOT / "docs" / "guides" / "ci.md").read_text("utf-8"))
    assert shown
    assert set(shown) == {statefmt.__version__}
    changelog = (_ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == statefmt.__version__
