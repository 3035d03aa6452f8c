"""From what a command line names to state files."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.reading import find_states

FILES = [
    "a/terraform.tfstate",
    "a/terraform.tfstate.backup",
    "a/terraform.tfstate.1700000000.backup",
    "a/.terraform/terraform.tfstate",
    "a/terraform.tfstate.d/prod/terraform.tfstate",
    "b/x.tfstate",
    "b/notes.txt",
]


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["b/x.tfstate"], ["b/x.tfstate"]),
        (["-"], ["-"]),
        (["missing.tfstate"], ["missing.tfstate"]),
        (["b/notes.txt"], ["b/notes.txt"]),
        (["a"], ["a/terraform.tfstate", "a/terraform.tfstate.d/prod/terraform.tfstate"]),
        (["."], ["a/terraform.tfstate", "a/terraform.tfstate.d/prod/terraform.tfstate", "b/x.tfstate"]),
        (["*/*.tfstate"], ["a/terraform.tfstate", "b/x.tfstate"]),
        (["**/x.tfstate"], ["b/x.tfstate"]),
        (["?"], ["a/terraform.tfstate", "a/terraform.tfstate.d/prod/terraform.tfstate", "b/x.tfstate"]),
        (["b", "b/x.tfstate"], ["b/x.tfstate"]),
        (["b", "a/terraform.tfstate"], ["b/x.tfstate", "a/terraform.tfstate"]),
    ],
    ids=" ".join,
)
def test_names_mean(names: list[str], found: list[str]) -> None:
    assert find_states(names) == found


def test_everything_takes_backups_and_the_working_folder() -> None:
    assert find_states(["a"], everything=True) == sorted(name for name in FILES if name.startswith("a/"))


@pytest.mark.parametrize("name", ["empty", "*.nothing"])
def test_nothing_found_is_an_error(name: str) -> None:
    with pytest.raises(StoreError, match=name.replace("*", r"\*")):
        find_states([name])


def test_an_existing_file_with_glob_characters_is_that_file(tree: Path) -> None:
    (tree / "b[1].tfstate").write_text("{}", encoding="utf-8")
    assert find_states(["b[1].tfstate"]) == ["b[1].tfstate"]
