"""States in backends of which Terraform was recorded: found where it had put them, and no secret is shown.

The records in `recorded/` are what `init` wrote to `.terraform/terraform.tfstate`: Terraform 1.11.4, 1.15.5 for `oci`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from statefmt.store.backends.types import SUPPORTED
from tests.cli.conftest import Statetool, folder, statetool
from tests.cli.test_json_output import _assert_valid

__all__ = ["folder", "statetool"]

RECORDED: Final = Path(__file__).parent / "recorded"
SECRETS: Final = ("not-a-real", "AKIDEXAMPLE", "bm90LWEtcmVhb")

# The backend, and the names that the server had for the states of the workspaces `default` and `staging`.
OBJECTS: Final = [
    ("s3-lockfile", "s3://tf-states/", "prod/network.tfstate", "env:/staging/prod/network.tfstate"),
    ("s3-dynamodb", "s3://tf-states/", "prod/network.tfstate", "env:/staging/prod/network.tfstate"),
    ("azurerm", "azurerm://tfstates/states/", "prod/network.tfstate", "prod/network.tfstateenv:staging"),
    ("gcs", "gs://tf-states/", "prod/network/default.tfstate", "prod/network/staging.tfstate"),
    ("consul", "consul://consul.example/", "tf/prod/network", "tf/prod/network-env:staging"),
    ("kubernetes", "kubernetes://tf/", "tfstate-default-network", "tfstate-staging-network"),
    ("oci", "oci://acme/tf-states/", "prod/network.tfstate", "tf-state-env/staging/prod/network.tfstate"),
    ("pg", "pg://db.example/states?schema=terraform_remote_state&workspace=", "default", "staging"),
    ("http", "http://state.example/state/", "demo", ""),
    ("remote", "remote://app.terraform.example/acme/", "net-prod", ""),
]


@pytest.fixture(params=OBJECTS, ids=lambda case: case[0])
def recorded(
    request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str, str, str]:
    case: tuple[str, str, str, str] = request.param
    (folder / ".terraform").mkdir()
    shutil.copy(RECORDED / f"{case[0]}.json", folder / ".terraform" / "terraform.tfstate")
    # What the recorded runs had in the environment.
    monkeypatch.setenv("PG_CONN_STR", "postgres://tf:not-a-real-password@db.example/states?sslmode=disable")
    for name in ("AWS_REGION", "AWS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    return case


def test_location(recorded: tuple[str, str, str, str], statetool: Statetool) -> None:
    _, before, default, staging = recorded
    for workspace, name in (("default", default), ("staging", staging)):
        if not name:
            continue
        document = json.loads(statetool("where", "--format", "json", "--workspace", workspace).out)
        _assert_valid(document, "where-output")
        assert document["location"].removesuffix("?region=eu-west-1") == before + name
        assert document["backend"]["source"] == "record"


def test_secrets(recorded: tuple[str, str, str, str], statetool: Statetool) -> None:
    record = (RECORDED / f"{recorded[0]}.json").read_text()
    for arguments in (["where"], ["where", "--format", "json"]):
        shown = statetool(*arguments)
        assert shown.status == 0
        assert not [secret for secret in SECRETS if secret in shown.text + shown.err]
    hidden = [
        one["name"] for one in json.loads(statetool("where", "--format", "json").out)["settings"] if one["secret"]
    ]
    # Each secret of the record is among the settings, though hidden.
    assert bool(hidden) is (recorded[0] == "pg" or any(secret in record for secret in SECRETS))


def test_every_recorded_argument_is_known(recorded: tuple[str, str, str, str], folder: Path) -> None:
    """Also those without a value: the record has all arguments of the release."""
    from statefmt.store.backends.types import backend_type

    backend = json.loads((RECORDED / f"{recorded[0]}.json").read_text())["backend"]
    known = backend_type(backend["type"])
    assert known is not None
    assert backend["config"].keys() - {argument.name for argument in known.arguments} == set()


def test_others_are_refused_with_what_to_run(recorded: tuple[str, str, str, str], statetool: Statetool) -> None:
    if not recorded[3]:
        for command in ("where", "workspaces")[: 2 if recorded[0] == "http" else 1]:
            said = statetool(command, "--workspace", "staging").err
            assert "has only the workspace default" in " ".join(said.split())
    if recorded[0].partition("-")[0] in SUPPORTED:
        return
    done = statetool("list", "--workspace", "staging")
    assert (done.status, done.out) == (2, b"")
    assert "  TF_WORKSPACE=staging terraform state pull | statetool list --state -\n" in done.err
    if recorded[0] != "http":
        assert "  terraform workspace list\n" in statetool("workspaces").err
