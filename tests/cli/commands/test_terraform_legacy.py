"""Provider addresses that Terraform writes for a type without a source, and OpenTofu refuses to read.

`terraform state mv` of Terraform 1.11 writes `registry.terraform.io/-/aws` into a state from before 0.13.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import statefmt
from statefmt import StateError
from tests.cli.conftest import Statetool
from tests.cli.states import resource, state

Tree = Callable[[], dict[str, bytes]]

LEGACY = 'provider["registry.terraform.io/-/acme"]'
STATE = state(
    resource("acme_org", "x", provider=LEGACY),
    resource("acme_org", "y", provider=f"{LEGACY}.west"),
    resource("aws_vpc", "main", provider='provider["registry.terraform.io/-/aws"]'),
)

READING = [
    "list --state old", "show acme_org.x --state old", "stats old", "outputs --state old", "providers --state old",
    "diff old old", "grep nothing-such --state old", "graph --state old",
]  # fmt: skip


@pytest.mark.parametrize("command", READING)
def test_reading_commands_read_it_and_say_so(command: str, statetool: Statetool) -> None:
    Path("old").write_bytes(STATE)
    result = statetool(*command.split())
    assert result.status in (0, 1), result.err
    told = " ".join(result.err.split())
    assert "old: OpenTofu refuses the provider of acme_org.x and 2 more, which Terraform reads; " in told
    assert "`statetool check --state old` shows how to set its source" in told


def test_list_and_providers(statetool: Statetool) -> None:
    Path("old").write_bytes(STATE)
    assert statetool("list", "--state", "old").text == "acme_org.x\nacme_org.y\naws_vpc.main\n"
    shown = statetool("providers", "--state", "old").text
    assert "registry.terraform.io/-/acme\n" in shown
    assert "acme.west" in shown


def test_check_names_the_way_and_the_way_works(statetool: Statetool) -> None:
    Path("old").write_bytes(STATE)
    checked = statetool("check", "--select", "PRV004", "--format", "json", "old")
    assert checked.status == 1
    (file,) = json.loads(checked.text)["files"]
    (one, *others) = file["findings"]
    assert len(others) == 2
    assert one["summary"] == "Invalid provider namespace"
    commands = re.findall("`statetool ([^`]*)`", one["fix"])
    assert commands == [
        "replace-provider registry.terraform.io/-/acme NAMESPACE/acme --state old",
        "replace-provider registry.terraform.io/-/aws hashicorp/aws --state old",
    ]
    for command in commands:
        done = statetool(*command.replace("NAMESPACE", "acme-corp").split(), "--yes")
        assert done.status == 0, done.err
    providers = [entry["provider"] for entry in json.loads(Path("old").read_bytes())["resources"]]
    assert providers == [
        'provider["registry.terraform.io/acme-corp/acme"]',
        'provider["registry.terraform.io/acme-corp/acme"].west',
        'provider["registry.terraform.io/hashicorp/aws"]',
    ]
    assert statetool("check", "--select", "PRV", "old").status == 0


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("registry.terraform.io/-/acme", "acme-corp/acme", "registry.terraform.io/acme-corp/acme"),
        ("registry.terraform.io/-/acme", "registry.opentofu.org/a/acme", "registry.opentofu.org/a/acme"),
        ("registry.terraform.io/-/acme", "example.com/a/b", "example.com/a/b"),
    ],
)
def test_replaced(old: str, new: str, expected: str, statetool: Statetool) -> None:
    Path("old").write_bytes(STATE)
    words = [old, new, "--state", "old", "--yes", *(["--new-provider"] if new.endswith("/b") else [])]
    done = statetool("replace-provider", *words)
    assert done.status == 0, done.err
    with statefmt.open("old").edit() as edit:
        assert str(edit.select("acme_org.x")[0].provider) == f'provider["{expected}"]'


def test_in_operations_files(statetool: Statetool) -> None:
    Path("old").write_bytes(STATE)
    Path("ops.hcl").write_text(
        'state "old" {\n  path = "old"\n}\n'
        'replace_provider {\n  old = "registry.terraform.io/-/acme"\n  new = "acme-corp/acme"\n}\n'
    )
    done = statetool("apply", "ops.hcl", "--yes")
    assert done.status == 0, done.err
    assert b"registry.terraform.io/acme-corp/acme" in Path("old").read_bytes()
    assert b"-/acme" not in Path("old").read_bytes()


def test_upgrade_finds_the_source_in_the_configuration(statetool: Statetool, tree: Tree) -> None:
    Path("old").write_bytes(STATE)
    Path("c").mkdir()
    Path("c/main.tf").write_text(
        'terraform {\n  required_providers {\n    acme = { source = "acme-corp/acme" }\n'
        '    aws  = { source = "hashicorp/aws" }\n  }\n}\n'
    )
    done = statetool("upgrade", "--config", "c", "old", "-o", "new")
    assert done.status == 0, done.err
    assert b"/-/" not in Path("new").read_bytes()
    assert b"registry.terraform.io/acme-corp/acme" in Path("new").read_bytes()
    # Without anything that says where acme comes from, nothing is written.
    refused = statetool("upgrade", "old", "-o", "other")
    assert refused.status == 2
    assert "--legacy-provider acme=NAMESPACE/acme" in refused.err
    assert not Path("other").exists()


def test_a_source_is_not_replaced_by_none(statetool: Statetool, tree: Tree) -> None:
    Path("old").write_bytes(STATE.replace(b"/-/", b"/hashicorp/"))
    before = tree()
    done = statetool(
        "replace-provider",
        "registry.terraform.io/hashicorp/acme",
        "registry.terraform.io/-/acme",
        "--state",
        "old",
        "--yes",
    )
    assert done.status == 2
    assert "does not say where the provider comes from" in done.err
    assert tree() == before


def test_edits_keep_the_addresses_of_others(statetool: Statetool) -> None:
    Path("old").write_bytes(STATE)
    done = statetool("mv", "acme_org.x", "acme_org.z", "--state", "old", "--yes")
    assert done.status == 0, done.err
    assert Path("old").read_bytes().count(b"registry.terraform.io/-/") == 3


def test_the_library_reads_as_opentofu_does() -> None:
    with pytest.raises(StateError, match="Invalid provider namespace"):
        statefmt.read(STATE)
    found = statefmt.inspect(STATE)
    assert found.snapshot is None
    assert {finding.code for finding in found.findings if finding.severity.value == "error"} == {"PRV004"}


def test_other_errors_still_refuse_the_state(statetool: Statetool) -> None:
    Path("old").write_bytes(STATE.replace(b'"managed"', b'"unmanaged"', 1))
    assert statetool("list", "--state", "old").status == 2
    Path("old").write_bytes(state(resource("a", "b", provider=f'{LEGACY}["key"]')))
    assert statetool("list", "--state", "old").status == 2


def test_repair_shows_one_cause_once(statetool: Statetool) -> None:
    """Four hundred instances of one cause are one entry, with its choices."""
    entries = [resource("aws_vpc", f"n{n:03}", provider='provider["registry.terraform.io/-/aws"]') for n in range(400)]
    Path("old").write_bytes(state(*entries))
    shown = statetool("repair", "--state", "old")
    assert len(shown.text.splitlines()) < 20
    told = " ".join(shown.text.split())
    assert "the same in 399 more places: aws_vpc.n001, aws_vpc.n002, aws_vpc.n003 and 396 more" in told
    assert "hashicorp: set the source registry.terraform.io/hashicorp/aws" in told
    done = statetool("repair", "--state", "old", "--choose", "PRV004 * hashicorp", "--yes")
    assert done.status == 0, done.err
    assert Path("old").read_bytes().count(b"registry.terraform.io/hashicorp/aws") == 400


@pytest.mark.parametrize("name", ["var.x", "local.y", "each.key", "path.root", "self.x", "module.a.var.x"])
def test_upgrade_writes_no_dependency_that_terraform_refuses(name: str, statetool: Statetool) -> None:
    """Terraform 1.11 answers: The keyword "var" is reserved and cannot be used to target a resource address."""
    entry = resource("aws_vpc", "main", provider='provider["registry.terraform.io/hashicorp/aws"]')
    Path("old").write_bytes(state(entry | {"instances": [{"attributes": {"id": "a"}, "dependencies": [name]}]}))
    refused = statetool("upgrade", "old", "-o", "new")
    assert refused.status == 2
    assert not Path("new").exists()
    told = " ".join(refused.err.split())
    assert "refuses the state because of the dependencies of aws_vpc.main" in told
    command = told.partition("`statetool ")[2].partition("`")[0].split()
    assert statetool(*command, "-o", "new").status == 0
    assert b"dependencies" not in Path("new").read_bytes()
    # OpenTofu reads such an address as that of a resource.
    Path("old").write_bytes(Path("old").read_bytes().replace(b"registry.terraform.io", b"registry.opentofu.org"))
    assert statetool("upgrade", "old", "-o", "tofu").status == 0
