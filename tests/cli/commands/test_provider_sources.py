"""`--registry` and `--legacy-provider` on `upgrade` and `fmt`: what is written, what is told, and the serial."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES, resource, state
from tests.tables import each_row

TERRAFORM = 'provider["registry.terraform.io/hashicorp/aws"]'
OPENTOFU = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _state(provider: str, **members: object) -> bytes:
    return state(resource("aws_vpc", "main", provider=provider), **members)


def _provider(data: bytes) -> tuple[str, int]:
    """The provider of the only resource, and the serial."""
    document = json.loads(data)
    return document["resources"][0]["provider"], document["serial"]


# Options, the provider before, and the provider and the serial after; the serial before is 7.
CASES = [
    ("", TERRAFORM, TERRAFORM, 7),
    ("--registry keep", TERRAFORM, TERRAFORM, 7),
    ("--registry opentofu", TERRAFORM, OPENTOFU, 8),
    ("--registry opentofu", OPENTOFU, OPENTOFU, 7),
    ("--registry terraform", OPENTOFU, TERRAFORM, 8),
    ("--registry terraform", 'provider["tf.example.com/a/b"]', 'provider["tf.example.com/a/b"]', 7),
    ("--registry keep", "provider.aws", 'provider["registry.opentofu.org/-/aws"]', 7),
    ("--registry opentofu", "provider.aws", OPENTOFU, 8),
    ("--registry terraform", "provider.aws", TERRAFORM, 8),
    ("--registry opentofu", "provider.foo", 'provider["registry.opentofu.org/-/foo"]', 7),
    ("--registry opentofu", 'provider["registry.terraform.io/-/aws"]', OPENTOFU, 8),
    ("--legacy-provider foo=acme/foo", "provider.foo", 'provider["registry.opentofu.org/acme/foo"]', 8),
    ("--legacy-provider foo=acme/foo", 'provider["registry.opentofu.org/-/aws"]', OPENTOFU, 8),
    ("--legacy-provider aws=acme/aws", "provider.aws", OPENTOFU.replace("hashicorp", "acme"), 8),
    ("--legacy-provider foo=acme/foo", TERRAFORM, TERRAFORM, 7),
    ("--registry terraform --legacy-provider aws=acme/aws", "provider.aws", TERRAFORM.replace("hashicorp", "acme"), 8),
    (
        "--legacy-provider foo=tf.example.com/a/b --legacy-provider bar=acme/bar",
        "provider.foo.west",
        'provider["tf.example.com/a/b"].west',
        8,
    ),
]


@each_row("command", ["upgrade", "fmt --stdout"])
@each_row(("options", "before", "after", "serial"), CASES)
def test_written(command: str, options: str, before: str, after: str, serial: int, statetool: Statetool) -> None:
    Path("state").write_bytes(_state(before))
    result = statetool(*command.split(), *options.split(), "state")
    assert result.status == 0, result.err
    assert _provider(result.out) == (after, serial)


@pytest.mark.parametrize("command", ["upgrade --in-place", "fmt"])
def test_in_place_with_a_backup_and_a_second_time(command: str, statetool: Statetool) -> None:
    Path("state").write_bytes(_state(TERRAFORM))
    assert statetool(*command.split(), "--registry", "opentofu", "state").status == 0
    (backup,) = Path().glob("state.*.backup")
    assert (_provider(backup.read_bytes()), _provider(Path("state").read_bytes())) == ((TERRAFORM, 7), (OPENTOFU, 8))
    content = Path("state").read_bytes()
    assert statetool(*command.split(), "--registry", "opentofu", "state").status == 0
    assert Path("state").read_bytes() == content


def test_version_3(statetool: Statetool) -> None:
    """The serial of the sample is 87."""
    result = statetool("upgrade", "--registry", "terraform", str(SAMPLES / "v3-legacy.tfstate"))
    document = json.loads(result.out)
    assert document["serial"] == 88
    assert {entry["provider"].split('"')[1] for entry in document["resources"]} == {
        "registry.terraform.io/hashicorp/aws",
        "registry.terraform.io/hashicorp/random",
    }
    assert "serial 87 → 88" in result.err


def test_check_lists_what_would_change(statetool: Statetool) -> None:
    for name, provider in [("a", TERRAFORM), ("b", OPENTOFU), ("c", 'provider["tf.example.com/a/b"]')]:
        Path("hand").write_bytes(_state(provider))
        assert statetool("upgrade", "hand", "-o", name).status == 0
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert statetool("fmt", "--check", "a", "b", "c").text == ""
    assert statetool("fmt", "--check", "--registry", "opentofu", "a", "b", "c")[:2] == (1, b"a\n")
    assert statetool("fmt", "--check", "--registry", "terraform", "a", "b", "c")[:2] == (1, b"b\n")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


# Options, the provider in the state, and what is told on standard error (in one line).
MESSAGES = [
    (
        "--registry opentofu",
        TERRAFORM,
        "rewritten: registry.terraform.io/hashicorp/aws → registry.opentofu.org/hashicorp/aws (1 address)",
    ),
    (
        "--registry opentofu",
        "provider.foo",
        (
            "unknown source: provider foo (1 address) is known by its type only. "
            "Set it with --legacy-provider foo=NAMESPACE/foo."
        ),
    ),
    (
        "--registry terraform",
        'provider["registry.opentofu.org/-/foo"]',
        "Terraform silently drops resources with such an address.",
    ),
    (
        "--legacy-provider foo=a/foo",
        TERRAFORM,
        "--legacy-provider foo=… is unused: no address names foo by its type only",
    ),
]


@pytest.mark.parametrize("command", ["upgrade", "fmt --stdout"])
@pytest.mark.parametrize(("options", "provider", "message"), MESSAGES)
def test_told(command: str, options: str, provider: str, message: str, statetool: Statetool) -> None:
    Path("state").write_bytes(_state(provider))
    told = " ".join(statetool(*command.split(), *options.split(), "state").err.split())
    assert message in told


def test_check_tells_what_is_not_known(statetool: Statetool) -> None:
    Path("state").write_bytes(_state("provider.foo"))
    result = statetool("fmt", "--check", "--registry", "opentofu", "state")
    assert (result.status, result.text) == (1, "state\n")
    assert "unknown source: provider foo" in result.err


def test_an_entry_that_one_of_several_states_needs(statetool: Statetool) -> None:
    Path("a").write_bytes(_state(OPENTOFU))
    Path("b").write_bytes(_state("provider.foo"))
    assert "was not needed" not in statetool("fmt", "--check", "--legacy-provider", "foo=a/foo", "a", "b").err


@each_row("command", ["upgrade", "fmt"])
@each_row("entry", ["aws", "aws=", "=x", "aws=a/b/c/d", "aws=X.example/a/b", "aws=xn--bcher-kva.de/a/b"])
def test_bad_entry(command: str, entry: str, statetool: Statetool) -> None:
    Path("state").write_bytes(_state("provider.aws"))
    result = statetool(command, "--legacy-provider", entry, "state")
    assert (result.status, result.text) == (2, "")
    assert f"--legacy-provider: {entry}: " in result.err
    assert Path("state").read_bytes() == _state("provider.aws")


def test_bad_registry(statetool: Statetool) -> None:
    result = statetool("fmt", "--registry", "openttofu", "state")
    assert (result.status, result.text) == (2, "")
    assert "--registry" in result.err


UNREADABLE = [
    ("keep", 'provider["registry.terraform.io/-/aws"]', "aws=NAMESPACE/TYPE"),
    ("terraform", 'provider["registry.terraform.io/-/foo"]', "foo=NAMESPACE/foo"),
    ("opentofu", "provider.my_cloud", "my_cloud=NAMESPACE/TYPE"),
]


@pytest.mark.parametrize(("registry", "provider", "source"), UNREADABLE)
def test_address_that_cannot_be_written(registry: str, provider: str, source: str, statetool: Statetool) -> None:
    """OpenTofu reads no such address; the error says how to name the source."""
    Path("state").write_bytes(_state(provider))
    result = statetool("upgrade", "--registry", registry, "state")
    assert (result.status, result.text) == (2, "")
    assert f"--legacy-provider {source}" in " ".join(result.err.split())
    assert "statetool repair" not in result.err
    named = statetool(
        "upgrade",
        "--registry",
        registry,
        "--legacy-provider",
        source.replace("NAMESPACE/TYPE", "acme/x").replace("NAMESPACE", "acme"),
        "state",
    )
    assert (named.status, "acme/" in named.text) == (0, True), named.err


def test_highest_serial(statetool: Statetool) -> None:
    Path("state").write_bytes(_state(TERRAFORM, serial=2**64 - 1))
    result = statetool("fmt", "--registry", "opentofu", "state")
    assert (result.status, result.text) == (2, "")
    assert "18446744073709551615, the highest possible" in " ".join(result.err.split())


def test_rewrite_that_makes_two_addresses_one_remote_object(statetool: Statetool) -> None:
    """Of two providers they are two objects, and of one the same object twice: an error that was not there before."""
    attributes = {"attributes": {"id": "vpc-1"}}
    Path("state").write_bytes(
        state(
            resource("aws_vpc", "a", attributes, provider=TERRAFORM),
            resource("aws_vpc", "b", attributes, provider=OPENTOFU),
        )
    )
    before = Path("state").read_bytes()
    result = statetool("fmt", "--registry", "opentofu", "state")
    assert result.status == 2
    assert "ADR008" in result.err
    assert Path("state").read_bytes() == before


@pytest.mark.parametrize("command", ["upgrade -i", "fmt"])
def test_the_expected_serial_is_that_of_the_file(command: str, statetool: Statetool) -> None:
    Path("state").write_bytes(_state(TERRAFORM))
    line = [*command.split(), "--registry", "opentofu", "state", "--expect-serial"]
    assert statetool(*line, "8").status == 2
    assert statetool(*line, "7").status == 0
    assert _provider(Path("state").read_bytes()) == (OPENTOFU, 8)
