"""States that name providers by type only: written only if it is clear which engine will read them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES, V3, resource, state

Tree = Callable[[], dict[str, bytes]]

OLD = (SAMPLES / "v3-legacy.tfstate").read_bytes()
# With a provider that is not HashiCorp's own.
ACME = OLD.replace(b"provider.random", b"provider.acme")
# As Terraform 0.12 wrote it; Terraform reads all of it.
SHORT = state(resource("aws_vpc", "main", provider="provider.aws"), resource("x", "y", provider="provider.acme"))
TOFU, TERRAFORM = "registry.opentofu.org", "registry.terraform.io"


def _lock(*sources: str) -> str:
    return "".join(f'provider "{source}" {{\n  version = "1.0.0"\n}}\n\n' for source in sources)


def _sources(data: bytes) -> set[str]:
    return {entry["provider"].split('"')[1] for entry in json.loads(data)["resources"]}


REFUSING = [
    "upgrade old", "upgrade -i old", "upgrade -o new old", "upgrade --state old", "upgrade -i old --dry-run",
    "upgrade old --legacy-provider aws=hashicorp/aws", "downgrade --for 1.8 old",
    "downgrade --for terraform-1.5 -i old", "downgrade --for terraform-1.5 -o new old",
]  # fmt: skip


@pytest.mark.parametrize("command", REFUSING)
def test_refused(command: str, statetool: Statetool, tree: Tree) -> None:
    Path("old").write_bytes(OLD)
    result = statetool(*command.split())
    assert (result.status, result.out) == (2, b"")
    told = " ".join(result.err.split())
    assert told.startswith(
        "statetool: old: not written: 8 of 8 resources name the provider by type only (aws: 7, random: 1), and the "
        "engine that will read the state is unknown. Terraform silently drops resources whose provider has no source. "
        "Choose one: "
    )
    assert tree() == {"old": OLD}


@pytest.mark.parametrize("command", ["fmt old", "fmt --stdout old", "upgrade old", "downgrade --for 1.8 old"])
def test_format_4_from_terraform_0_12(command: str, statetool: Statetool, tree: Tree) -> None:
    """Terraform reads `provider.aws`, but not what canonical form makes of it."""
    Path("old").write_bytes(SHORT)
    result = statetool(*command.split())
    assert (result.status, result.out) == (2, b"")
    assert "old: not written: 2 of 2 resources name the provider by type only" in " ".join(result.err.split())
    assert tree() == {"old": SHORT}
    assert statetool("fmt", "--check", "old")[:2] == (1, b"old\n")


@pytest.mark.parametrize(("data", "status"), [(V3, 0), (state(resource("a", "b", provider="provider.terraform")), 0)])
def test_nothing_to_ask(data: bytes, status: int, statetool: Statetool) -> None:
    """No resources, and the provider that is built in."""
    Path("old").write_bytes(data)
    result = statetool("upgrade", "old")
    assert (result.status, "--registry" in result.err) == (status, False)


def test_format_4_with_the_address_already(statetool: Statetool) -> None:
    """Nothing gets worse, so nothing is refused; the first lines say it."""
    data = state(resource("aws_vpc", "main", provider=f'provider["{TOFU}/-/aws"]'))
    for command in ("upgrade", "fmt --stdout", "downgrade --for 1.8"):
        Path("old").write_bytes(data)
        result = statetool(*command.split(), "old")
        assert (result.status, _sources(result.out)) == (0, {f"{TOFU}/-/aws"})
        assert (
            "OpenTofu reads the only resource; Terraform drops it: use --registry terraform to write for Terraform."
            in " ".join(" ".join(result.err.splitlines()[:4]).split())
        )


@pytest.mark.parametrize("data", [OLD, ACME, SHORT], ids=["v3", "of a vendor", "Terraform 0.12"])
def test_each_way_out_can_be_pasted(data: bytes, program: Program) -> None:
    """What only the user knows is filled in, and the result is what the command was offered for."""
    Path("old state").write_bytes(data)
    Path("configuration").mkdir()
    required = f'acme = {{ source = "{TOFU}/x/acme" }}'
    Path("configuration/main.tf").write_text(f"terraform {{\n  required_providers {{\n    {required}\n  }}\n}}\n")
    told = program("upgrade", "-o", "new", "old state").err
    joined = told.replace(" \\\n", " ")
    commands = [line.strip() for line in joined.splitlines() if line.strip().startswith("statetool upgrade")]
    assert len(commands) == 5
    Path("configuration/.terraform.lock.hcl").write_text(_lock(f"{TOFU}/hashicorp/null"))
    results = []
    for command in commands:
        line = command.replace("NAMESPACE/", "hashicorp/").replace("DIR", "configuration")
        assert shlex.split(line)[-3:] == ["-o", "new", "old state"]
        result = program.in_shell(line)
        assert result.status == 0, result.err
        results.append({source.rpartition("/")[0] for source in _sources(Path("new").read_bytes())})
        Path("new").unlink()
    unknown = {f"{TOFU}/-"} if b"acme" in data else set()
    assert results == [
        {f"{TOFU}/hashicorp"} | unknown,
        {f"{TERRAFORM}/hashicorp"},
        {f"{TOFU}/hashicorp"},
        {f"{TOFU}/hashicorp"} | ({f"{TOFU}/x"} if b"acme" in data else set()),
        {f"{TOFU}/-"},
    ]


def test_terraform_without_a_source(statetool: Statetool, tree: Tree) -> None:
    """Terraform would drop the resource, so it is not written for it."""
    Path("old").write_bytes(ACME)
    result = statetool("upgrade", "--registry", "terraform", "old", "-o", "new")
    assert result.status == 2
    assert (
        "1 of 8 resources names the provider by type only (acme: 1), and Terraform silently drops resources with such "
        "a provider. Write the state: with their sources: statetool upgrade --legacy-provider acme=NAMESPACE/acme"
    ) in " ".join(result.err.split())
    assert tree() == {"old": ACME}


# The lock file, the sources in the result, and a part of the report. Where a source is not HashiCorp's, it is told.
LOCKED = [
    (_lock(f"{TOFU}/hashicorp/aws"), {f"{TOFU}/hashicorp/aws", f"{TOFU}/-/acme"}, "from .terraform.lock.hcl"),
    (
        _lock(f"{TOFU}/hashicorp/aws", f"{TOFU}/acme-corp/acme"),
        {f"{TOFU}/hashicorp/aws", f"{TOFU}/acme-corp/acme"},
        f"rewritten: {TOFU}/-/acme → {TOFU}/acme-corp/acme (1 address), from .terraform.lock.hcl",
    ),
    (
        _lock(f"{TERRAFORM}/acme-corp/acme"),
        {f"{TERRAFORM}/hashicorp/aws", f"{TERRAFORM}/acme-corp/acme"},
        f"rewritten: {TOFU}/-/aws → {TERRAFORM}/hashicorp/aws (7 addresses), registry from .terraform.lock.hcl",
    ),
]


@pytest.mark.parametrize("command", ["upgrade", "downgrade --for opentofu-1.8", "upgrade --legacy-provider unused=a/b"])
@pytest.mark.parametrize(("lock", "sources", "report"), LOCKED)
def test_lock_file_beside_the_state(
    lock: str, sources: set[str], report: str, command: str, statetool: Statetool
) -> None:
    Path("old").write_bytes(ACME)
    Path(".terraform.lock.hcl").write_text(lock)
    result = statetool(*command.split(), "old")
    assert result.status == 0, result.err
    assert (_sources(result.out), json.loads(result.out)["serial"]) == (sources, 88)
    assert report in " ".join(result.err.split())


def test_lock_file_for_fmt(statetool: Statetool) -> None:
    Path("terraform.tfstate").write_bytes(SHORT)
    Path(".terraform.lock.hcl").write_text(_lock(f"{TERRAFORM}/hashicorp/aws", f"{TERRAFORM}/x/acme"))
    result = statetool("fmt")
    assert result.status == 0, result.err
    content = Path("terraform.tfstate").read_bytes()
    assert _sources(content) == {f"{TERRAFORM}/hashicorp/aws", f"{TERRAFORM}/x/acme"}
    assert f"OpenTofu and Terraform (0.13 and later) read all 2 resources. The providers come from {TERRAFORM}" in (
        " ".join(result.err.split())
    )
    assert statetool("fmt", "--check").status == 0


# Where the state is, and whether its lock file in the current folder counts.
PLACES = [
    ("state", "state", True),
    ("terraform.tfstate.d/prod/terraform.tfstate", "terraform.tfstate.d/prod/terraform.tfstate", True),
    ("elsewhere/state", "elsewhere/state", False),
    ("terraform.tfstate", "", True),
]


@pytest.mark.parametrize(("path", "name", "counts"), PLACES)
def test_folder_of_the_lock_file(path: str, name: str, counts: bool, statetool: Statetool) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(OLD)
    Path(".terraform.lock.hcl").write_text(_lock(f"{TOFU}/hashicorp/aws"))
    assert statetool("upgrade", *name.split()).status == (0 if counts else 2)


def test_standard_input_has_no_folder(program: Program) -> None:
    """It may be the state of another configuration than the one here."""
    Path(".terraform.lock.hcl").write_text(_lock(f"{TOFU}/hashicorp/aws"))
    Path("main.tf").write_text("")
    assert program("upgrade", "-", stdin=OLD).status == 2
    result = program("upgrade", "--config", ".", "-", stdin=OLD)
    assert (result.status, _sources(result.out)) == (0, {f"{TOFU}/hashicorp/aws", f"{TOFU}/hashicorp/random"})


def test_ambiguous(program: Program) -> None:
    Path("old").write_bytes(OLD)
    Path(".terraform.lock.hcl").write_text(_lock(f"{TOFU}/hashicorp/aws", f"{TERRAFORM}/hashicorp/aws"))
    result = program("upgrade", "old")
    assert (result.status, result.out) == (2, b"")
    told = " ".join(result.err.replace(" \\\n", " ").split())
    assert f"the source is ambiguous (aws: {TOFU}/hashicorp/aws or {TERRAFORM}/hashicorp/aws)" in told
    commands = re.findall(r"statetool upgrade .*? old(?= |$)", told)
    assert [_sources(program.in_shell(command).out) for command in commands] == [
        {f"{TOFU}/hashicorp/aws", f"{TOFU}/hashicorp/random"},
        {f"{TERRAFORM}/hashicorp/aws", f"{TOFU}/hashicorp/random"},
    ]


def test_lock_file_that_cannot_be_read(statetool: Statetool) -> None:
    Path("old").write_bytes(OLD)
    Path(".terraform.lock.hcl").write_text('provider "registry.opentofu.org/hashicorp/aws" {')
    result = statetool("upgrade", "old")
    assert result.status == 2
    assert "The lock file was not used: .terraform.lock.hcl:1: " in " ".join(result.err.split())
    assert statetool("upgrade", "--registry", "opentofu", "old").status == 0


def test_configuration(statetool: Statetool) -> None:
    """Its names are those of the state; its lock file says which registry; the one beside the state does not count."""
    Path("old").write_bytes(ACME)
    Path(".terraform.lock.hcl").write_text(_lock(f"{TOFU}/hashicorp/aws"))
    Path("live/child").mkdir(parents=True)
    Path("live/main.tf").write_text('module "m" {\n  source = "./child"\n}\n')
    Path("live/child/main.tf").write_text(
        'terraform {\n  required_providers {\n    acme = {\n      source = "acme-corp/acmecloud"\n    }\n  }\n}\n'
    )
    refused = statetool("upgrade", "--config", "live", "old")
    assert refused.status == 2
    assert "--config DIR" not in refused.err
    assert "There is no live/.terraform.lock.hcl, which init writes. Choose one:" in " ".join(refused.err.split())
    Path("live/.terraform.lock.hcl").write_text(_lock(f"{TERRAFORM}/acme-corp/acmecloud"))
    result = statetool("upgrade", "--config", "live", "old")
    assert (result.status, _sources(result.out)) == (
        0,
        {f"{TERRAFORM}/hashicorp/aws", f"{TERRAFORM}/acme-corp/acmecloud"},
    )
    assert "registry from live/.terraform.lock.hcl" in " ".join(result.err.split())


def test_other_providers_in_the_state(statetool: Statetool) -> None:
    other = resource("null_resource", "n", provider=f'provider["{TERRAFORM}/hashicorp/null"]')
    Path("old").write_bytes(state(resource("aws_vpc", "main", provider="provider.aws"), other))
    result = statetool("fmt", "--stdout", "old")
    assert (result.status, _sources(result.out)) == (0, {f"{TERRAFORM}/hashicorp/aws", f"{TERRAFORM}/hashicorp/null"})
    assert "registry from other providers in the state" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            "--registry keep",
            "OpenTofu reads all 8 resources; Terraform drops all 8 of them: use --registry terraform to",
        ),
        (
            "--registry opentofu",
            f"OpenTofu and Terraform (0.13 and later) read all 8 resources. The providers come from {TOFU}",
        ),
        (
            "--registry terraform",
            f"The providers come from {TERRAFORM}: use --registry opentofu to write for OpenTofu.",
        ),
    ],
)
def test_the_first_lines_say_who_reads_it(options: str, line: str, statetool: Statetool) -> None:
    Path("old").write_bytes(OLD)
    report = statetool("upgrade", *options.split(), "old").err.splitlines()
    assert line in " ".join(" ".join(report[1:4]).split())


def test_vendors_are_named_in_the_first_lines(statetool: Statetool) -> None:
    Path("old").write_bytes(ACME)
    report = statetool("upgrade", "--registry", "opentofu", "old").err
    assert (
        "OpenTofu reads all 8 resources; Terraform (0.13 and later) drops 1 of them: use --registry terraform "
        "--legacy-provider acme=NAMESPACE/acme to write for Terraform."
    ) in " ".join(report.split())


def test_provider_keys_in_the_first_lines(statetool: Statetool) -> None:
    report = statetool("upgrade", str(SAMPLES / "v4-provider-for-each.tfstate")).err
    assert (
        "OpenTofu (1.9 and later) reads all 5 resources; Terraform (0.13 and later) drops 4 of them (4 bound to "
        "provider instance keys)."
    ) in " ".join(report.split())


def test_many_files(statetool: Statetool) -> None:
    """Each is reported; where one is refused, the others are still done, and 2 wins."""
    for name, data in (("a", OLD), ("b", V3), ("c", b"{"), ("d", SHORT)):
        Path(name).write_bytes(data)
    result = statetool("upgrade", "--in-place", "a", "b", "c", "d")
    assert result.status == 2
    assert Path("a").read_bytes() == OLD
    assert json.loads(Path("b").read_bytes())["version"] == 4
    assert Path("c").read_bytes() == b"{"
    assert "a: not written: 8 of 8 resources" in result.err
    assert "\n    statetool upgrade --registry opentofu --in-place a\n" in result.err
    assert "\nb: format version 3 → 4\n" in result.err
    assert "statetool: c: this state cannot be used" in result.err
    assert statetool("upgrade", "-i", "--registry", "opentofu", "a", "b", "d").status == 0
    assert [json.loads(Path(name).read_bytes())["serial"] for name in "abd"] == [88, 37, 8]


def test_many_files_need_in_place(statetool: Statetool, tree: Tree) -> None:
    for name in "ab":
        Path(name).write_bytes(V3)
    for options in ("", "-o new"):
        result = statetool("upgrade", *options.split(), "a", "b")
        assert (result.status, result.out) == (2, b"")
        assert "add --in-place" in " ".join(result.err.split())
    assert tree() == {"a": V3, "b": V3}
