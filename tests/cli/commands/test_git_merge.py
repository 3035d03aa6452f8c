"""git merges states with statetool: merges, rebases and cherry-picks, by a real git."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import statefmt
from statefmt.merging import merge
from tests.cli.commands.test_git_config import Git, git
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import resource, state

__all__ = ["git"]

PATH = Path("prod/terraform.tfstate")
pytestmark = pytest.mark.process
# Makes a base and two branches, main and other; main is checked out.
Branches = Callable[[bytes, bytes, bytes], None]


def _vpc(name: str, **attributes: object) -> dict[str, object]:
    return resource("aws_vpc", name, {"attributes": {"id": f"vpc-{name}", **attributes}})


def _attempt(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git where it may fail."""
    words = ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "core.editor=true", *arguments]
    return subprocess.run(words, check=False, capture_output=True, text=True)


def _commit(git: Git, content: bytes) -> None:
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_bytes(content)
    git("add", str(PATH))
    git("commit", "--quiet", "--allow-empty", "-m", "m")


@pytest.fixture
def branches(git: Git, statetool: Statetool) -> Branches:
    assert statetool("git-config", "--enable").status == 0

    def made(base: bytes, ours: bytes, theirs: bytes) -> None:
        _commit(git, base)
        git("switch", "--quiet", "-c", "other")
        _commit(git, theirs)
        git("switch", "--quiet", "main")
        _commit(git, ours)

    return made


BASE = state(_vpc("a", x=1), _vpc("b", x=1), serial=5)
OURS = state(_vpc("a", x=2), _vpc("b", x=1), serial=6)
THEIRS = state(_vpc("a", x=1), _vpc("b", x=3), serial=6)
CLASH = state(_vpc("a", x=4), _vpc("b", x=3), serial=6)
MERGE = ("merge", "--quiet", "--no-edit")
WAYS = (MERGE, ("rebase", "--quiet"), ("cherry-pick",))


def _values() -> dict[str, object]:
    document = json.loads(PATH.read_bytes())
    return {block["name"]: block["instances"][0]["attributes"].get("x") for block in document["resources"]}


@pytest.mark.parametrize("way", WAYS)
def test_what_only_one_side_changed_is_merged(branches: Branches, git: Git, way: tuple[str, ...]) -> None:
    branches(BASE, OURS, THEIRS)
    done = _attempt(*way, "other")
    assert done.returncode == 0, done.stderr
    assert _values() == {"a": 2, "b": 3}
    assert json.loads(PATH.read_bytes())["serial"] == 7
    assert git("status", "--short") == ""


@pytest.mark.parametrize("way", WAYS)
def test_a_conflict_leaves_our_state_and_the_index_unmerged(
    branches: Branches, git: Git, statetool: Statetool, way: tuple[str, ...]
) -> None:
    branches(BASE, OURS, CLASH)
    done = _attempt(*way, "other")
    assert done.returncode != 0
    assert "aws_vpc.a  /attributes/x  both sides changed it" in done.stdout
    # While rebasing, our side is the one that the commits are put on.
    mine = CLASH if way[0] == "rebase" else OURS
    assert PATH.read_bytes() == mine
    assert git("diff", "--name-only", "--diff-filter=U").splitlines() == [str(PATH)]
    refused = statetool("merge", "--continue", str(PATH))
    assert refused.status == 1
    assert PATH.read_bytes() == mine
    assert statetool("merge", "--continue", str(PATH), "--theirs", "aws_vpc.a").status == 0
    assert _values() == {"a": 2 if way[0] == "rebase" else 4, "b": 3}
    assert git("diff", "--name-only", "--diff-filter=U") == ""


def test_a_file_that_was_changed_since_is_not_merged_again(branches: Branches, statetool: Statetool) -> None:
    branches(BASE, OURS, CLASH)
    assert _attempt(*MERGE, "other").returncode != 0
    PATH.write_bytes(BASE)
    result = statetool("merge", "--continue", str(PATH), "--ours", "**")
    assert result.status == 2
    assert f"`git checkout --ours -- {PATH}` restores that" in result.err
    assert _attempt("checkout", "--ours", "--", str(PATH)).returncode == 0
    assert statetool("merge", "--continue", str(PATH), "--ours", "**").status == 0


def test_both_sides_of_a_criss_cross_merge_conflict(branches: Branches, git: Git, statetool: Statetool) -> None:
    """Each branch merged the other, and kept its own value: the base is not one of them."""
    branches(BASE, OURS, state(_vpc("a", x=3), _vpc("b", x=1), serial=6))
    git("branch", "first")
    for branch, other in (("main", "other"), ("other", "first")):
        git("switch", "--quiet", branch)
        assert _attempt(*MERGE, other).returncode != 0
        assert statetool("merge", "--continue", str(PATH), "--ours", "**").status == 0
        git("commit", "--quiet", "-m", "merged")
    git("switch", "--quiet", "main")
    assert _attempt(*MERGE, "other").returncode != 0
    assert _values()["a"] == 2


def test_continue_stages_no_other_path(branches: Branches, git: Git, statetool: Statetool) -> None:
    branches(BASE, OURS, CLASH)
    assert _attempt(*MERGE, "other").returncode != 0
    Path("prod/unrelated.tfstate").write_bytes(BASE)
    assert statetool("merge", "--continue", str(PATH.absolute()), "--ours", "**").status == 0
    assert "?? prod/unrelated.tfstate" in git("status", "--short").splitlines()


def test_a_state_that_both_sides_added(git: Git, statetool: Statetool) -> None:
    assert statetool("git-config", "--enable").status == 0
    git("commit", "--quiet", "--allow-empty", "-m", "m")
    git("switch", "--quiet", "-c", "other")
    _commit(git, CLASH)
    git("switch", "--quiet", "main")
    _commit(git, OURS)
    assert _attempt(*MERGE, "other").returncode != 0
    assert statetool("merge", "--continue", str(PATH), "--theirs", "aws_vpc.a", "--ours", "**").status == 0
    assert _values() == {"a": 4, "b": 1}


def test_line_ends_that_git_converts(branches: Branches, git: Git, statetool: Statetool) -> None:
    git("config", "core.autocrlf", "true")
    git("config", "core.safecrlf", "false")
    branches(*(json.dumps(json.loads(one), indent=2).encode() + b"\n" for one in (BASE, OURS, CLASH)))
    assert _attempt(*MERGE, "other").returncode != 0
    assert statetool("merge", "--continue", str(PATH), "--ours", "**").status == 0


def test_a_side_that_is_encrypted_is_not_merged_into_a_plain_one(
    branches: Branches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("old")))
    branches(BASE, OURS, encrypted(THEIRS, "old"))
    done = _attempt(*MERGE, "other")
    assert done.returncode != 0
    assert "encrypt ours first" in done.stderr
    assert PATH.read_bytes() == OURS


def test_a_path_without_a_conflict_is_refused(branches: Branches, statetool: Statetool) -> None:
    branches(BASE, OURS, THEIRS)
    result = statetool("merge", "--continue", str(PATH))
    assert result.status == 2
    assert "git has no unmerged versions" in result.err


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (b"not a state", "not a readable state"),
        (BASE.replace(b"5e2f80b6", b"00000000"), "different lineages"),
        (encrypted(BASE, "old"), "it is encrypted"),
    ],
)
def test_a_version_that_cannot_be_merged_leaves_ours(branches: Branches, theirs: bytes, reason: str) -> None:
    branches(BASE, OURS, theirs)
    done = _attempt(*MERGE, "other")
    assert done.returncode != 0
    assert reason in done.stderr
    assert PATH.read_bytes() == OURS


def test_encrypted_states_are_merged_with_their_key(
    branches: Branches, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("old")))
    branches(*(encrypted(content, "old") for content in (BASE, OURS, THEIRS)))
    assert _attempt(*MERGE, "other").returncode == 0
    assert b"encrypted_data" in PATH.read_bytes()
    document = json.loads(statetool("pull", str(PATH)).out)
    assert [block["instances"][0]["attributes"]["x"] for block in document["resources"]] == [2, 3]


def _generated(seed: int) -> tuple[bytes, bytes, bytes]:
    """A base and two versions of it; each side changes, moves, removes or adds some of eight resources."""
    some = random.Random(seed)
    names = "abcdefgh"

    def written(serial: int, addresses: dict[str, str], values: dict[str, int]) -> bytes:
        resources = [
            resource("aws_vpc", addresses[name], {"attributes": {"id": f"vpc-{name}", "x": values.get(name, 0)}})
            for name in addresses
        ]
        return state(*resources, serial=serial)

    def side(new: str) -> bytes:
        addresses, values = {name: name for name in names}, dict[str, int]()
        for name in some.sample(names, 3):
            turn = some.choice(["change", "move", "remove"])
            if turn == "change":
                values[name] = some.randint(1, 3)
            elif turn == "move":
                addresses[name] = f"{name}_{some.choice(['new', new])}"
            else:
                del addresses[name]
        if some.random() < 0.5:
            addresses[new] = new
        return written(6, addresses, values)

    return written(5, {name: name for name in names}, {}), side("ours"), side("theirs")


@pytest.mark.parametrize("seed", [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 300))])
def test_generated_histories_are_merged_as_by_the_library(branches: Branches, seed: int) -> None:
    contents = _generated(seed)
    branches(*contents)
    way = WAYS[seed % len(WAYS)]
    done = _attempt(*way, "other")
    base, ours, theirs = (statefmt.read(content).snapshot for content in contents)
    if way[0] == "rebase":
        ours, theirs = theirs, ours
    wanted = merge(base, ours, theirs)
    content = PATH.read_bytes()
    assert b"<<<<<<<" not in content
    found = statefmt.read(content).snapshot
    assert (done.returncode != 0) == bool(wanted.conflicts), done.stderr
    assert not statefmt.diff(found, ours if wanted.conflicts else wanted.snapshot)
