"""Which engine reads a result, and how many resources it drops: as the first lines of a report say, and in reality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

import statefmt
from statefmt.formats.losses import engine_readings
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.compat.program import Program

_HOSTS: Final = {"opentofu": "registry.opentofu.org", "terraform": "registry.terraform.io"}


def _listed(real: Program, folder: Path, data: bytes) -> list[str]:
    (folder / "terraform.tfstate").write_bytes(data)
    listed = real.run(folder, "state", "list")
    return sorted(listed.out.splitlines()) if listed.status == 0 else []


@pytest.mark.parametrize("sample", ["v1-legacy", "v2-legacy", "v3-legacy", "v4-resource-level", "v4-provider-for-each"])
@pytest.mark.parametrize("registry", ["keep", "opentofu", "terraform"])
def test_dropped_resources(sample: str, registry: str, real: Program, statetool: Statetool, folder: Path) -> None:
    written = statetool("upgrade", "--registry", registry, str(SAMPLES / f"{sample}.tfstate"))
    assert written.status == 0, written.err
    snapshot = statefmt.read(written.out).snapshot
    (reader,) = (each for each in engine_readings(snapshot) if each.release.engine == real.engine)
    listed = set(_listed(real, folder, written.out))
    gone = [each for each in snapshot.resources if not listed & {f"{each.addr}{obj.key}" for obj in each.objects}]
    assert len(gone) == reader.total


@pytest.mark.parametrize("host", _HOSTS.values())
@pytest.mark.parametrize("namespace", ["-", "hashicorp"])
def test_addresses(host: str, namespace: str, real: Program, statetool: Statetool, folder: Path) -> None:
    """Each engine reads real sources of both registries, and a type without a source only from its own."""
    data = statetool("upgrade", "--registry", "opentofu", str(SAMPLES / "v3-legacy.tfstate")).out
    data = data.replace(b"registry.opentofu.org/hashicorp/", f"{host}/{namespace}/".encode())
    reads = namespace == "hashicorp" or host == _HOSTS[real.engine]
    assert len(_listed(real, folder, data)) == (11 if reads else 0)


def test_address_before_terraform_0_13(real: Program, statetool: Statetool, folder: Path) -> None:
    """Both engines read `provider.aws` in format 4; what canonical form makes of it, OpenTofu only."""
    old = b"""{"version": 4, "terraform_version": "0.12.31", "serial": 1, "lineage": "l", "outputs": {}, "resources": [
        {"mode": "managed", "type": "aws_vpc", "name": "main", "provider": "provider.aws",
         "instances": [{"schema_version": 1, "attributes": {"id": "vpc-1"}}]}]}"""
    assert _listed(real, folder, old) == ["aws_vpc.main"]
    (folder / "old").write_bytes(old)
    assert statetool("fmt", "--stdout", "old").status == 2
    kept = statetool("fmt", "--stdout", "--registry", "keep", "old").out
    assert _listed(real, folder, kept) == (["aws_vpc.main"] if real.engine == "opentofu" else [])
    resolved = statetool("fmt", "--stdout", "--registry", real.engine, "old").out
    assert _listed(real, folder, resolved) == ["aws_vpc.main"]


def test_the_next_apply_records_dependencies_again(real: Program, folder: Path) -> None:
    """As the report of an upgrade says of those that it does not carry over."""
    (folder / "main.tf").write_text(
        'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {\n  input = terraform_data.a.id\n}\n'
    )
    assert real.run(folder, "init").status == 0
    assert real.run(folder, "apply", "-auto-approve").status == 0
    state = folder / "terraform.tfstate"
    assert b'"dependencies"' in state.read_bytes()
    document = json.loads(state.read_bytes())
    for entry in document["resources"]:
        for instance in entry["instances"]:
            instance.pop("dependencies", None)
    state.write_text(json.dumps(document))
    applied = real.run(folder, "apply", "-auto-approve")
    assert "0 added, 0 changed, 0 destroyed" in applied.out
    assert b'"terraform_data.a"' in state.read_bytes()


def test_surgery_keeps_addresses_before_terraform_0_13(real: Program, statetool: Statetool, folder: Path) -> None:
    """A resource that an edit writes anew has the form of the others, which both engines read."""
    instances = ", ".join(f'{{"index_key": {key}, "schema_version": 1, "attributes": {{}}}}' for key in range(3))
    (folder / "old").write_text(
        '{"version": 4, "terraform_version": "0.12.31", "serial": 1, "lineage": "l", "outputs": {}, "resources": ['
        '{"mode": "managed", "type": "aws_vpc", "name": "main", "each": "list", "provider": "provider.aws.west",'
        f' "instances": [{instances}]}}]}}'
    )
    for old, new in (("[1]", "module.m.aws_vpc.main"), ("[2]", "aws_vpc.other[0]")):
        assert statetool("mv", "--state", "old", f"aws_vpc.main{old}", new).status == 0
    assert _listed(real, folder, (folder / "old").read_bytes()) == [
        "aws_vpc.main[0]", "aws_vpc.other[0]", "module.m.aws_vpc.main",
    ]  # fmt: skip
