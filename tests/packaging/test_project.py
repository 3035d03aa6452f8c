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
from tests.tables import each_row

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


@pytest.mark.parametrize(
    "path", [*sorted((_GITHUB / "workflows").iterdir()), _ROOT / "action.yml"], ids=lambda path: path.stem
)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    """A tag can be moved to other code, and the jobs have credentials. The comment says which release it is."""
    used = re.findall(r"^\s*-? ?uses: (.*)$", path.read_text("utf-8"), re.MULTILINE)
    assert used
    for line in used:
        assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d[\w.]*", line), line


def test_only_tags_are_published() -> None:
    publish = _workflow("release")["jobs"]["publish"]
    assert publish["if"] == "github.event_name == 'push'"
    # YAML 1.1 reads the key `on` as true.
    assert _workflow("release")[True]["push"] == {"tags": ["v*"]}  # type: ignore[index]


def test_the_build_backend_is_the_locked_one() -> None:
    """An installation from source takes the release whose hashes are known, and nothing else."""
    (backend,) = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    assert re.fullmatch(r"hatchling==[0-9.]+", backend)
    assert f"\n{backend} \\\n    --hash=sha256:" in (_ROOT / "requirements" / "build.txt").read_text("utf-8")


def test_updates_of_all_that_is_pinned_are_proposed() -> None:
    """uv.lock, from which requirements/ are exported, the base image, and the actions."""
    found = re.findall(r"package-ecosystem: (\S+)", (_GITHUB / "dependabot.yml").read_text("utf-8"))
    assert sorted(found) == ["docker", "github-actions", "uv"]


@pytest.mark.parametrize("path", sorted((_GITHUB / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda path: path.stem)
def test_issue_forms_have_what_github_asks_for(path: Path) -> None:
    form = yaml.safe_load(path.read_text("utf-8"))
    assert form.keys() >= {"name", "description", "body"}
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields) > 0
    assert all(field["attributes"]["label"] for field in fields)


def _pins(name: str) -> list[tuple[str, str]]:
    """The packages of a file in requirements/ with their versions: each with a hash, and no index."""
    text = (_ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    assert re.findall(r"^\s*--(?!hash=sha256:)|://", text, re.MULTILINE) == []
    pins = re.findall(r"^(\S+)==(\S+)(?=[^\n]*\\\n    --hash=sha256:)", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[^#\s]", text, re.MULTILINE))
    return pins


_EXTRAS: Final = _PROJECT["optional-dependencies"]
_GROUPS: Final = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("run", _PROJECT["dependencies"]),
        ("standard", [*_PROJECT["dependencies"], *_EXTRAS["regex"]]),
        ("all", [*_PROJECT["dependencies"], *itertools.chain(*_EXTRAS.values())]),
        ("dev", [*_PROJECT["dependencies"], *itertools.chain(*_EXTRAS.values()), *_GROUPS["build"], *_GROUPS["dev"]]),
        ("build", _GROUPS["build"]),
        ("docs", _GROUPS["docs"]),
    ],
)
def test_pinned_packages(name: str, named: list[str | dict[str, str]]) -> None:
    """Everything that is named, in a release that it allows; the packages for tests are in no file of users."""
    packaging = pytest.importorskip("packaging.requirements")
    pins = dict(_pins(name))
    for line in named:
        if not isinstance(line, str):
            # A group that another includes.
            continue
        wanted = packaging.Requirement(line)
        if wanted.name == _PROJECT["name"]:
            # An extra that has others.
            assert wanted.extras <= _EXTRAS.keys()
        elif line not in _EXTRAS["testing"] or name == "dev":
            assert wanted.specifier.contains(pins[wanted.name]), line


def test_users_get_the_packages_that_are_tested() -> None:
    """What the demo, the image and the single file contain is what `make setup` installs."""
    for name in ("run", "standard", "all", "build"):
        assert set(_pins(name)) <= set(_pins("dev"))


# A line that installs or runs the package `statetool`, without a repository.
_BY_NAME: Final = re.compile(
    r"^(?!.*git\+).*\b(?:(?:pip|pipx|uv pip|uv tool) (?:install|run)|uvx)\b.*[\s\"']statetool(?:[\"'\s=\[]|$).*$",
    re.MULTILINE,
)
_PAGES: Final = [_ROOT / "README.md", _ROOT / "action.yml", _ROOT / "Dockerfile", *(_ROOT / "docs").rglob("*.md")]


@each_row("path", _PAGES, ids=lambda path: path.name)
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


def test_pages_pin_a_revision_that_the_reader_fills_in() -> None:
    """No tag exists before the first release, and a tag can be moved: pages show a placeholder for a commit."""
    shown = re.findall(
        r"(?:statetool@|statetool\.git#|rev: )([^\s\"']+)", (_ROOT / "docs" / "guides" / "ci.md").read_text("utf-8")
    )
    assert shown
    assert set(shown) == {"REVISION"}


def test_version_has_one_place() -> None:
    """The changelog begins with this release."""
    assert "version" in _PROJECT["dynamic"]
    changelog = (_ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0] == statefmt.__version__
