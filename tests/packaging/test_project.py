"""What stands in two places about the project says the same in both."""

from __future__ import annotations

import itertools
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


def _pins(name: str) -> list[tuple[str, str]]:
    """The packages of a file with their versions: each with a hash, and no index."""
    text = (_ROOT / name).read_text("utf-8")
    assert re.findall(r"^\s*--(?!hash=sha256:)|://", text, re.MULTILINE) == []
    pins = re.findall(r"^(\S+)==(\S+)(?=[^\n]*\\\n    --hash=sha256:)", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[^#\s]", text, re.MULTILINE))
    return pins


_IN_DOCS: Final = [
    line for line in (_ROOT / "docs" / "requirements.in").read_text("utf-8").splitlines() if not line.startswith("#")
]


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("constraints.txt", [*_PROJECT["dependencies"], *itertools.chain(*_PROJECT["optional-dependencies"].values())]),
        ("requirements.txt", _PROJECT["dependencies"]),
        ("docs/requirements.txt", _IN_DOCS),
    ],
)
def test_pinned_packages(name: str, named: list[str]) -> None:
    """Everything that is named, in a release that it allows."""
    packaging = pytest.importorskip("packaging.requirements")
    pins = dict(_pins(name))
    for line in named:
        wanted = packaging.Requirement(line)
        if wanted.name == _PROJECT["name"]:
            # An extra that has others.
            assert wanted.extras <= _PROJECT["optional-dependencies"].keys()
            continue
        assert wanted.specifier.contains(pins[wanted.name]), line


def test_users_get_the_packages_that_are_tested() -> None:
    """What the image and the single file contain is what `make setup` installs."""
    assert set(_pins("requirements.txt")) <= set(_pins("constraints.txt"))


# A line that installs or runs the package `statetool`, without a repository.
_BY_NAME: Final = re.compile(
    r"^(?!.*git\+).*\b(?:(?:pip|pipx|uv pip|uv tool) (?:install|run)|uvx)\b.*[\s\"']statetool(?:[\"'\s=\[]|$).*$",
    re.MULTILINE,
)
_PAGES: Final = [_ROOT / "README.md", _ROOT / "action.yml", _ROOT / "Dockerfile", *(_ROOT / "docs").rglob("*.md")]


@pytest.mark.parametrize("path", _PAGES, ids=lambda path: path.name)
def test_no_page_installs_a_name_that_others_could_claim(path: Path) -> None:
    """Until the name is ours in the index, statetool comes from a repository, at a revision."""
    assert _BY_NAME.findall(path.read_text("utf-8")) == []


def test_what_counts_as_a_name() -> None:
    for line in (
        "pip install statetool",
        "pipx install 'statetool==0.1.0'",
        "uvx statetool check",
        "uv tool run statetool",
    ):
        assert _BY_NAME.findall(line), line
    for line in ('pip install "statetool @ git+https://example.com/statetool@v1"', "pip install --no-deps ./statetool"):
        assert not _BY_NAME.findall(line), line


def test_version_has_one_place() -> None:
    """Pages that show how to pin statetool show this release, and the changelog begins with it."""
    assert "version" in _PROJECT["dynamic"]
    shown = re.findall(
        r"(?:statetool@|rev: )v(\d+(?:\.\d+)+)", (_ROOT / "docs" / "guides" / "ci.md").read_text("utf-8")
    )
    assert shown
    assert set(shown) == {statefmt.__version__}
    changelog = (_ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == statefmt.__version__
