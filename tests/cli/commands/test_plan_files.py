"""Commands that read a plan file: the same as with its JSON, the configuration and the state that are inside."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.analysis.plans.documents import state
from tests.cli.conftest import Program, Statetool
from tests.lifecycle.plan_files.made import made, members_of, packed
from tests.lifecycle.plan_files.recorded import recorded_files
from tests.tables import each_row

_PLANS = recorded_files()


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@each_row("name", _PLANS)
def test_plan_show_prints_the_same(statetool: Statetool, name: str, tmp_path: Path) -> None:
    _PLANS[name].unpack(tmp_path)
    of_file = statetool("plan-show", "plan.tfplan")
    of_json = statetool("plan-show", "plan.json", "--config", "config", "--state", "before.tfstate")
    assert of_file == of_json
    assert of_file.text


def _write(name: str = "terraform-1.11/update") -> None:
    _PLANS[name].unpack(Path())


def test_the_states_inside(statetool: Statetool) -> None:
    """Terraform moves objects before it writes either, and reads data in between."""
    _write("terraform-1.11/move")
    for part in ("previous", "prior"):
        assert statetool("list", "--state", "plan.tfplan", "--part", part).text == "terraform_data.b\n"
    assert "terraform_data.b" in statetool("show", "--state", "plan.tfplan", "--part", "prior").text
    compared = statetool("diff", "plan:previous:plan.tfplan", "plan:prior:plan.tfplan")
    assert (compared.status, "serial" in compared.text) == (1, True)


@each_row(
    ("arguments", "told"),
    [
        (("list", "--part", "prior"), "requires --state PLANFILE"),
        (("list", "--state", "plan.json", "--part", "prior"), "plan.json: this is not a plan file"),
        (("list", "--state", "missing", "--part", "prior"), "missing: there is no such file"),
        (("list", "--state", "plan:x:plan.tfplan"), "write a state in a plan file as plan:prior:PATH"),
        (("list", "--state", "plan.tfplan"), "`statetool list --state FILE --part prior` lists it"),
        (("rm", "terraform_data.a", "--yes", "--state", "plan:prior:plan.tfplan"), "in a plan file cannot be edited"),
        (("plan-show", "plan.json"), "Only a plan file contains it"),
        (("plan-show", "plan.tfplan", "--config", "plan.json"), "plan.json: not a directory"),
    ],
)
def test_refusals(statetool: Statetool, arguments: tuple[str, ...], told: str) -> None:
    _write()
    result = statetool(*arguments)
    assert (result.status, result.out) == (2, b"")
    assert told in " ".join(result.err.split())


def test_the_configuration_inside(statetool: Statetool) -> None:
    _write("terraform-1.15/create-modules")
    inside = statetool("check", "--no-state", "--config", "plan.tfplan", "--plan", "plan.tfplan", "--format", "json")
    beside = statetool("check", "--no-state", "--config", "config", "--plan", "plan.tfplan", "--format", "json")
    assert inside.status == beside.status == 0
    assert inside.out.replace(b"plan.tfplan", b"config") == beside.out.replace(b"plan.tfplan", b"config")


def test_a_given_configuration_must_agree(statetool: Statetool) -> None:
    _write()
    assert statetool("plan-show", "plan.tfplan", "--config", "config").status == 0
    (Path("config") / "more.tf").write_text("locals {}\n", encoding="utf-8")
    result = statetool("plan-show", "plan.tfplan", "--config", "config")
    assert (result.status, result.out) == (2, b"")
    assert "config: this is not the configuration in the plan file plan.tfplan: more.tf differs" in result.err


def test_given_variables_must_agree(statetool: Statetool) -> None:
    _write("terraform-1.11/variables")
    arguments = ("plan-show", "plan.tfplan", "--config", "config")
    assert statetool(*arguments, "--var", "password=hush", "--var", "number=5").status == 0
    result = statetool(*arguments, "--var", "password=quiet")
    assert (result.status, result.out) == (2, b"")
    assert "the plan was made with other values of the variables password" in " ".join(result.err.split())
    assert not {"hush", "quiet"} & set(result.err.split())


def test_two_plan_files_must_agree(statetool: Statetool) -> None:
    _write()
    Path("other.tfplan").write_bytes(_PLANS["terraform-1.11/create"].file)
    result = statetool("plan-show", "plan.tfplan", "--config", "other.tfplan")
    assert (result.status, result.out) == (2, b"")
    assert "the two plan files have different configurations" in result.err


_READING = """
provider "aws" {
  alias    = "by_file"
  for_each = toset([file("%s")])
}
resource "terraform_data" "a" {
  input = fileexists("%s")
}
module "near" {
  source = "../../../../../../../../..%s"
}
"""


def test_the_configuration_inside_reads_no_files(
    statetool: Statetool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret" / "canary.tf"
    secret.parent.mkdir()
    secret.write_text('variable "CANARY" {\n  default = "CANARY"\n}\n', encoding="utf-8")
    members = members_of()
    text = _READING % (secret, secret, secret.parent)
    Path("plan.tfplan").write_bytes(packed({**members, "tfconfig/m-/main.tf": text.encode()}))
    monkeypatch.setenv("TF_VAR_CANARY", "CANARY")
    for arguments in (
        ("plan-show", "plan.tfplan", "--show-sensitive"),
        ("plan-show", "plan.tfplan", "--show-sensitive", "--format", "json"),
        ("check", "--no-state", "--config", "plan.tfplan"),
        ("moves", "plan.tfplan"),
    ):
        result = statetool(*arguments)
        assert "CANARY" not in result.text + result.err
        assert "Traceback" not in result.err


def test_what_a_configuration_does_not_declare_is_hidden(statetool: Statetool) -> None:
    """A variable may be sensitive, and the configuration in the file damaged."""
    members = members_of("terraform-1.11/variables")
    Path("plan.tfplan").write_bytes(packed({**members, "tfconfig/m-/main.tf": b"{"}))
    result = statetool("plan-show", "plan.tfplan", "--format", "json")
    assert b"(sensitive value)" in result.out
    assert json.loads(result.out)["variables"]["given"]["value"] == "(sensitive value)"


def test_a_plan_file_from_standard_input(program: Program) -> None:
    _write()
    result = program("plan-show", "-", stdin=Path("plan.tfplan").read_bytes())
    assert (result.status, "terraform_data.a" in result.text) == (0, True)


_ENCRYPTION = """
key_provider "pbkdf2" "main" {
  passphrase = "a long passphrase"
}
method "aes_gcm" "main" {
  keys = key_provider.pbkdf2.main
}
plan {
  method = method.aes_gcm.main
}
state {
  method = method.aes_gcm.main
}
"""


def _encrypted(plain: bytes) -> bytes:
    """Return a file as OpenTofu encrypts it: the envelope of states without serial and lineage."""
    salt, nonce = bytes(range(32)), bytes(12)
    key = hashlib.pbkdf2_hmac("sha512", b"a long passphrase", salt, 200_000, 32)
    meta = {
        "salt": base64.b64encode(salt).decode(), "iterations": 200_000, "hash_function": "sha512", "key_length": 32,
    }  # fmt: skip
    return json.dumps(
        {
            "meta": {"key_provider.pbkdf2.main": base64.b64encode(json.dumps(meta).encode()).decode()},
            "encrypted_data": base64.b64encode(nonce + AESGCM(key).encrypt(nonce, plain, None)).decode(),
            "encryption_version": "v0",
        }
    ).encode()


def test_an_encrypted_plan_file(statetool: Statetool) -> None:
    _write()
    Path("encryption.hcl").write_text(_ENCRYPTION, encoding="utf-8")
    Path("sealed.tfplan").write_bytes(_encrypted(Path("plan.tfplan").read_bytes()))
    options = ("--encryption", "encryption.hcl")
    opened = statetool("plan-show", "sealed.tfplan", *options)
    assert opened.status == 0
    assert opened.text == statetool("plan-show", "plan.tfplan").text
    assert statetool("list", "--state", "sealed.tfplan", "--part", "prior", *options).text.startswith(
        "terraform_data.a"
    )
    assert statetool("moves", "sealed.tfplan", *options).status == 0
    without = statetool("plan-show", "sealed.tfplan")
    assert (without.status, without.out) == (2, b"")
    assert "sealed.tfplan: the plan file is encrypted; name its configuration with --encryption" in without.err
    Path("encryption.hcl").write_text(_ENCRYPTION.replace("a long", "another long"), encoding="utf-8")
    wrong = statetool("plan-show", "sealed.tfplan", *options)
    assert (wrong.status, wrong.out) == (2, b"")
    assert "sealed.tfplan: no method of the configuration can read this plan" in " ".join(wrong.err.split())


_BY_REGION = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu", "us"])
  region   = each.key
}
provider "aws" {
  alias  = "one"
  region = "ap"
}
resource "aws_vpc" "main" {
  for_each = toset(["eu", "us"])
  provider = aws.by_region[each.key]
}
"""
_AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _of_opentofu(address: str, provider: str, action: int, value: object) -> Callable[[Any], None]:
    def edit(message: Any) -> None:
        (change,) = message.resource_changes
        change.addr, change.provider, change.change.action = address, provider, action
        change.change.values[0].msgpack = msgspec.msgpack.encode(value)

    return edit


@each_row(
    ("address", "named", "action", "instance"),
    [
        # The configuration inside has the key.
        ('aws_vpc.main["us"]', f"{_AWS}.by_region", 1, f'{_AWS}.by_region["us"]'),
        # The state inside has that of an object without a block.
        ("aws_vpc.gone", f"{_AWS}.by_region", 5, f'{_AWS}.by_region["eu"]'),
        # The plan names a configuration that has one instance.
        ("aws_vpc.left", f"{_AWS}.one", 5, f"{_AWS}.one"),
        # It names another one than the block does.
        ('aws_vpc.main["us"]', f"{_AWS}.one", 1, None),
    ],
)
def test_provider_instances(
    statetool: Statetool, address: str, named: str, action: int, instance: str | None, tmp_path: Path
) -> None:
    before = state(("aws_vpc.gone", "eu"))
    more = {
        "tfconfig/m-/main.tf": _BY_REGION.encode(), "tfstate": before, "tfstate-prev": before,
        ".terraform.lock.hcl": b'# This file is maintained automatically by "tofu init".\n',
    }  # fmt: skip
    file = tmp_path / "plan.tfplan"
    file.write_bytes(made(_of_opentofu(address, named, action, {"id": "vpc-1"}), more))
    result = statetool("plan-show", str(file), "--format", "json")
    document = json.loads(result.out)
    (change,) = document["resource_changes"]
    assert change["provider_instance"] == instance
    assert change["provider_config"] == named
    assert not {"applyable", "complete"} & document.keys()
    # Its own JSON is read again, without the plan file.
    (tmp_path / "shown.json").write_bytes(result.out)
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "main.tf").write_text(_BY_REGION, encoding="utf-8")
    again = statetool(
        "plan-show", str(tmp_path / "shown.json"), "--config", str(tmp_path / "config"), "--format", "json"
    )
    assert json.loads(again.out)["resource_changes"][0]["provider_instance"] == instance
