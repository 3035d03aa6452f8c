"""`statetool reconcile`: what it says in each case, and the commands it prints."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import LINEAGE, resource, state
from tests.cli.test_json_output import _assert_valid


def _vpc(name: str, id_: str = "", **members: object) -> dict[str, object]:
    return resource("aws_vpc", name, {"attributes": {"id": id_ or f"vpc-{name}"}, **members})


def _secret(name: str) -> dict[str, object]:
    paths = [[{"type": "get_attr", "value": "id"}]]
    return _vpc(name, "canary-7f3a", sensitive_attributes=paths)


@pytest.fixture
def module(folder: Path) -> Path:
    """A root module with a state in a file."""
    Path("main.tf").write_text("")
    Path("errored.tfstate").write_bytes(state(_vpc("a"), _vpc("b"), serial=8))
    Path("terraform.tfstate").write_bytes(state(_vpc("a"), serial=7))
    return folder


def _document(statetool: Statetool, *arguments: str) -> Any:
    document = json.loads(statetool("reconcile", "errored.tfstate", "--format", "json", *arguments).out)
    _assert_valid(document, "reconcile-output")
    return document


def _commands(document: Any) -> list[str]:
    return [command for step in document["steps"] for command in step["commands"]]


def test_a_push_suffices(module: Path, statetool: Statetool) -> None:
    result = statetool("reconcile", "errored.tfstate")
    assert result.status == 1
    assert (
        result.text
        == f"""\
The stored state is the one before the failed apply: a plain `state push` of errored.tfstate suffices.

errored.tfstate    serial 8, lineage {LINEAGE}
terraform.tfstate  serial 7, lineage {LINEAGE}

Only errored.tfstate has:
  aws_vpc.b (id "vpc-b")

What to do:
1. Do not run apply before the state is stored: it would create its objects again.
2. Save the stored state first:
     statetool copy terraform.tfstate before-push.tfstate
3. Store the state of the failed apply:
     tofu state push errored.tfstate
4. Check that a plan proposes nothing unexpected, then delete errored.tfstate:
     tofu plan
"""
    )


def test_a_push_that_drops_objects(module: Path, statetool: Statetool) -> None:
    """The failed apply has destroyed `c`, or it tried twice, and somebody has added `c`: the serials do not tell."""
    Path("terraform.tfstate").write_bytes(state(_vpc("a"), _vpc("c"), serial=7))
    document = _document(statetool)
    assert document["case"] == "push"
    texts = [step["text"] for step in document["steps"]]
    assert texts[1].startswith("Check in the output of the failed apply that it destroyed or replaced the objects")
    assert "before-push.tfstate" in document["steps"][2]["commands"][0]


def test_somebody_wrote_in_between(module: Path, statetool: Statetool) -> None:
    deposed = {"attributes": {"id": "vpc-old"}, "deposed": "0f1e2d3c"}
    b = resource("aws_vpc", "b", {"attributes": {"id": "vpc-b"}, "status": "tainted"}, deposed)
    Path("errored.tfstate").write_bytes(state(_vpc("a", "vpc-1"), b, serial=8))
    Path("terraform.tfstate").write_bytes(state(_vpc("a", "vpc-2"), _vpc("c"), serial=8))
    result = statetool("reconcile", "errored.tfstate")
    assert result.status == 1
    lines = result.text.splitlines()
    assert lines[0] == (
        "Somebody wrote the state after the failed apply had read it. `state push` would refuse: cannot overwrite "
        "existing state with serial 8 with a different state that has the same serial."
    )
    for line in (
        '  aws_vpc.a (id "vpc-1", the other state has id "vpc-2" at this address)',
        '  aws_vpc.b (id "vpc-b", tainted)',
        '  aws_vpc.b (id "vpc-old", deposed object 0f1e2d3c)',
        '  aws_vpc.a (id "vpc-2", the other state has id "vpc-1" at this address)',
        '  aws_vpc.c (id "vpc-c")',
        "       to = aws_vpc.b",
        '       id = "vpc-b"',
    ):
        assert line in lines
    assert result.text.count("import {") == 1
    assert "Deposed objects cannot be imported. If they still exist, destroy them yourself: aws_vpc.b." in result.text
    assert "A push with -force would drop 2 objects from the state" in result.text
    assert "state push -force" not in result.text


def test_nothing_to_do(module: Path, statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(state(_vpc("a"), _vpc("b"), serial=9))
    result = statetool("reconcile", "errored.tfstate")
    assert (result.status, result.text.splitlines()[0]) == (
        0,
        "The stored state has everything that errored.tfstate has.",
    )
    same = statetool("reconcile", "errored.tfstate", "--with", "errored.tfstate")
    assert (same.status, same.text.splitlines()[0]) == (0, "The stored state is errored.tfstate, with the same serial.")


def test_nothing_stored(module: Path, statetool: Statetool) -> None:
    Path("terraform.tfstate").unlink()
    document = _document(statetool)
    assert document["case"] == "push"
    assert document["stored"] == {"location": "terraform.tfstate", "exists": False}
    # There is nothing to save.
    assert _commands(document) == ["tofu state push errored.tfstate", "tofu plan"]


def test_a_file_that_was_named_must_exist(module: Path, statetool: Statetool) -> None:
    result = statetool("reconcile", "errored.tfstate", "--with", "typo.tfstate")
    assert (result.status, result.out) == (2, b"")
    assert "typo.tfstate: there is no such file" in result.err


def test_a_folder_without_a_configuration(module: Path, statetool: Statetool) -> None:
    Path("artifacts").mkdir()
    Path("errored.tfstate").rename("artifacts/errored.tfstate")
    result = statetool("reconcile", "artifacts/errored.tfstate")
    assert (result.status, result.out) == (2, b"")
    assert "artifacts: this folder has no configuration" in result.err
    result = statetool("reconcile", "artifacts/errored.tfstate", "--with", ".")
    assert "\n     tofu state push artifacts/errored.tfstate\n" in result.text


def test_another_folder(module: Path, statetool: Statetool, tmp_path: Path) -> None:
    Path("an other").mkdir()
    Path("an other/main.tf").write_text("")
    Path("terraform.tfstate").rename("an other/terraform.tfstate")
    push = f"tofu '-chdir=an other' state push {shlex.quote(str(Path('errored.tfstate').absolute()))}"
    assert push in _commands(_document(statetool, "--with", "an other"))
    Path("errored.tfstate").rename("an other/errored.tfstate")
    result = statetool("reconcile", "an other/errored.tfstate")
    assert "\n     tofu '-chdir=an other' state push errored.tfstate\n" in result.text
    assert "\n     statetool copy 'an other/terraform.tfstate' before-push.tfstate\n" in result.text


def test_a_workspace(module: Path, statetool: Statetool) -> None:
    Path("terraform.tfstate.d/prod").mkdir(parents=True)
    Path("terraform.tfstate").rename("terraform.tfstate.d/prod/terraform.tfstate")
    commands = _commands(_document(statetool, "--workspace", "prod"))
    assert "TF_WORKSPACE=prod tofu state push errored.tfstate" in commands


@pytest.mark.parametrize(
    ("host", "locked", "programs"),
    [
        ("registry.opentofu.org", "", ["tofu"]),
        ("registry.terraform.io", "", ["terraform"]),
        ("registry.example.com", "", ["tofu", "terraform"]),
        # The folder has been migrated since.
        ("registry.terraform.io", "registry.opentofu.org", ["tofu"]),
    ],
)
def test_programs(host: str, locked: str, programs: list[str], module: Path, statetool: Statetool) -> None:
    path = Path("errored.tfstate")
    path.write_bytes(path.read_bytes().replace(b"registry.opentofu.org", host.encode()))
    if locked:
        Path(".terraform.lock.hcl").write_text(f'\nprovider "{locked}/hashicorp/aws" {{\n}}\n')
    assert _commands(_document(statetool))[-len(programs) :] == [f"{program} plan" for program in programs]


def test_a_state_from_a_pipe(module: Path, program: Program) -> None:
    stored = Path("terraform.tfstate").read_bytes()
    result = program("reconcile", "errored.tfstate", "--with", "-", stdin=stored)
    assert result.status == 1
    assert "before-push" not in result.text
    assert "\n     tofu state push errored.tfstate\n" in result.text
    assert program("reconcile", "-", "--with", "-", stdin=stored).status == 2


def test_an_encrypted_state(module: Path, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
    plain = Path("errored.tfstate").read_bytes()
    Path("errored.tfstate").write_bytes(encrypted(plain, "new"))
    (push,) = (command for command in _commands(_document(statetool)) if "state push" in command)
    assert push == "statetool pull errored.tfstate | tofu state push -"
    assert statetool("pull", "errored.tfstate").out == plain


def test_sensitive_ids(module: Path, statetool: Statetool) -> None:
    Path("errored.tfstate").write_bytes(state(_vpc("a"), _secret("b"), serial=8))
    Path("terraform.tfstate").write_bytes(state(_vpc("a"), _vpc("c"), serial=8))
    for form in ("text", "json"):
        hidden = statetool("reconcile", "errored.tfstate", "--format", form)
        assert "canary" not in hidden.text
        assert "(sensitive value)" in hidden.text
        assert "# aws_vpc.b is new: its id is sensitive; --show-sensitive writes it" in hidden.text
        shown = statetool("reconcile", "errored.tfstate", "--format", form, "--show-sensitive")
        assert shown.text.count("canary-7f3a") == 2


def test_nothing_reaches_the_terminal_as_it_is(module: Path, statetool: Statetool) -> None:
    Path("errored.tfstate").write_bytes(state(_vpc("b", "\x1b[2J\x9b"), serial=8, lineage="\x1b[31m"))
    result = statetool("reconcile", "errored.tfstate")
    assert result.status == 1
    assert "\x1b" not in result.text
    assert "\x9b" not in result.text


@pytest.mark.parametrize("damaged", ["errored.tfstate", "terraform.tfstate"])
def test_a_damaged_state(damaged: str, module: Path, statetool: Statetool) -> None:
    path = Path(damaged)
    path.write_bytes(path.read_bytes()[:-20])
    result = statetool("reconcile", "errored.tfstate")
    assert (result.status, result.out) == (2, b"")
    assert f"{damaged}: this state cannot be used" in result.err


def test_a_backend_that_statetool_does_not_open(module: Path, statetool: Statetool) -> None:
    Path("main.tf").write_text('terraform {\n  backend "gcs" {\n    bucket = "b"\n  }\n}\n')
    result = statetool("reconcile", "errored.tfstate")
    assert (result.status, result.out) == (2, b"")
    assert "\n  tofu state pull | statetool reconcile … --with -\n" in result.err


@pytest.mark.parametrize("place", [".", "infra"])
def test_where_mentions_the_file(place: str, folder: Path, statetool: Statetool) -> None:
    path = Path(place, "errored.tfstate")
    path.parent.mkdir(exist_ok=True)
    assert "errored" not in statetool("where", place).text
    path.write_bytes(state(serial=8))
    note = f"An apply could not save its state, and left errored.tfstate; `statetool reconcile {path}` says what to do."
    assert note in statetool("where", place).text
    assert json.loads(statetool("where", place, "--format", "json").out)["notes"] == [note]
    # The state at a URL is not that of the folder.
    assert "errored" not in statetool("where", "http://127.0.0.1/state").text
