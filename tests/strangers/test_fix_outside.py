"""`check --fix` writes no state outside of the folder that is checked, whatever the folder says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Statetool, folder, statetool
from tests.cli.states import HAND_EDITED

__all__ = ["folder", "statetool"]


@pytest.mark.parametrize(
    "words", ["check --fix --unsafe-fixes", "check --fix --unsafe-fixes .", "check --fix --unsafe-fixes ../clone"]
)
@pytest.mark.parametrize("way", ["path of a backend", "link with another name", "linked folder", "usual name"])
def test_nothing_outside_is_fixed(way: str, words: str, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("victim").mkdir()
    Path("victim/terraform.tfstate").write_bytes(HAND_EDITED)
    Path("clone").mkdir()
    if way == "path of a backend":
        block = 'terraform {\n  backend "local" {\n    path = "../victim/terraform.tfstate"\n  }\n}\n'
        Path("clone/main.tf").write_text(block)
    elif way == "linked folder":
        Path("clone/sub").symlink_to("../victim")
    else:
        name = "terraform.tfstate" if way == "usual name" else "a.tfstate"
        Path("clone", name).symlink_to("../victim/terraform.tfstate")
    monkeypatch.chdir("clone")
    done = statetool(*words.split())
    monkeypatch.chdir("..")
    assert {path.name: path.read_bytes() for path in Path("victim").iterdir()} == {"terraform.tfstate": HAND_EDITED}
    if way in ("link with another name", "usual name"):
        assert done.status == 2
        assert "outside" in done.err or "leads out of the folder" in " ".join(done.err.split())


def test_what_is_in_the_folder_is_fixed_beside_it(statetool: Statetool) -> None:
    Path("victim").mkdir()
    Path("victim/terraform.tfstate").write_bytes(HAND_EDITED)
    Path("clone").mkdir()
    Path("clone/a.tfstate").symlink_to("../victim/terraform.tfstate")
    Path("clone/b.tfstate").write_bytes(HAND_EDITED)
    assert statetool("check", "--fix", "--unsafe-fixes", "clone").status == 2
    assert Path("clone/b.tfstate").read_bytes() != HAND_EDITED
    assert Path("victim/terraform.tfstate").read_bytes() == HAND_EDITED


def test_a_link_that_the_user_names_is_fixed(statetool: Statetool) -> None:
    Path("victim").mkdir()
    Path("victim/terraform.tfstate").write_bytes(HAND_EDITED)
    Path("a.tfstate").symlink_to("victim/terraform.tfstate")
    assert statetool("check", "--fix", "--unsafe-fixes", "a.tfstate").status == 0
    assert Path("victim/terraform.tfstate").read_bytes() != HAND_EDITED
