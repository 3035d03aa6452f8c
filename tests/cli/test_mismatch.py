"""Edits that bind an object to a provider instance of another account or region are refused, unless that is allowed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import statefmt
from statefmt import SurgeryError
from tests.cli.conftest import Statetool
from tests.cli.states import ROOT

_FOLDER = ROOT / "tests" / "configurations" / "other-region"
_RIGHT = "aws_sqs_queue.right"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(_FOLDER, tmp_path / "conf")
    monkeypatch.chdir(tmp_path / "conf")
    return tmp_path / "conf" / "terraform.tfstate"


def test_rebind(state: Path, statetool: Statetool) -> None:
    before = state.read_bytes()
    words = ("rebind", "--config", ".", _RIGHT, 'aws.in["us"]')
    found = statetool(*words)
    assert found.status == 2
    assert "is in region eu-west-1, the provider instance in us-east-1" in " ".join(found.err.split())
    assert "--allow-mismatch" in found.err
    assert state.read_bytes() == before
    assert statetool(*words, "--allow-mismatch").status == 0
    assert statetool("rebind", "--config", ".", _RIGHT, 'aws.in["eu"]').status == 0


def test_replace_provider(state: Path, statetool: Statetool) -> None:
    """A replaced configuration keeps the keys, so that the new one must be in the same region for each key."""
    main = Path("main.tf")
    main.write_text(
        main.read_text().replace('aws.in["eu"]', 'aws.at["eu"]')
        + """
provider "aws" {
  alias    = "at"
  for_each = { eu = "eu-north-1" }
  region   = each.value
}
"""
    )
    words = ["replace-provider", "--config", ".", "--yes", 'provider["hashicorp/aws"].in']
    words += ['provider["hashicorp/aws"].at', _RIGHT]
    before = state.read_bytes()
    found = statetool(*words)
    assert found.status == 2
    assert "is in region eu-west-1, the provider instance in eu-north-1" in " ".join(found.err.split())
    assert state.read_bytes() == before
    assert statetool(*words, "--allow-mismatch").status == 0


def test_a_move_to_another_state(state: Path, statetool: Statetool) -> None:
    """The configuration of the other state has a block of the same name in another region."""
    other = Path("other")
    other.mkdir()
    text = Path("main.tf").read_text()
    (other / "main.tf").write_text(text.replace("eu-west-1", "eu-north-1"))
    words = ["mv", "--to-state", "other/terraform.tfstate", "--create", "--config", "other", "--yes", _RIGHT]
    before = state.read_bytes()
    found = statetool(*words)
    assert found.status == 2
    assert "is in region eu-west-1, the provider instance in eu-north-1" in " ".join(found.err.split())
    assert state.read_bytes() == before
    assert not (other / "terraform.tfstate").exists()
    assert statetool(*words, "--as-blocks", "--allow-mismatch").status in (0, 1)
    assert not (other / "terraform.tfstate").exists()
    assert statetool(*words, "--allow-mismatch").status == 0
    assert (other / "terraform.tfstate").exists()


def test_an_undo_restores_what_was_wrong(state: Path, statetool: Statetool) -> None:
    before = state.read_bytes()
    wrong = "aws_sqs_queue.wrong"
    assert statetool("rebind", "--config", ".", wrong, 'aws.in["eu"]').status == 0
    assert statetool("undo", "--config", ".").status == 0
    assert json.loads(state.read_bytes())["resources"] == json.loads(before)["resources"]


def test_without_a_configuration_nothing_is_known(state: Path, statetool: Statetool) -> None:
    assert statetool("rebind", _RIGHT, 'aws.in["us"]').status == 0


def test_what_was_wrong_may_move(state: Path, statetool: Statetool) -> None:
    """A move keeps the provider instance, so that it makes nothing worse."""
    main = Path("main.tf")
    main.write_text(main.read_text().replace('"wrong"', '"other"'))
    assert statetool("mv", "--config", ".", "aws_sqs_queue.wrong", "aws_sqs_queue.other").status == 0


def test_what_a_block_overrides_is_no_mismatch(state: Path, statetool: Statetool) -> None:
    assert statetool("rebind", "--config", ".", "aws_sqs_queue.own_region", 'aws.in["eu"]').status == 0
    assert statetool("rebind", "--config", ".", "aws_sqs_queue.own_region", 'aws.in["us"]').status == 0


def test_the_library(state: Path) -> None:
    target = 'provider["registry.opentofu.org/hashicorp/aws"].in["us"]'
    with pytest.raises(SurgeryError, match="allow_mismatch=True"), statefmt.open(state).edit(config=".") as edit:
        edit.rebind(_RIGHT, target)
    with statefmt.open(state).edit(config=".", allow_mismatch=True) as edit:
        edit.rebind(_RIGHT, target)
