"""What findings about providers say to do, done: the printed block is pasted, the printed command is run.

Afterwards the finding is gone, and there is no other one in its place. A key that is not used any more (CFS005) is no
harm.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.cli.main import main
from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.check import check, check_configuration
from statefmt.model.findings import Code, Finding, Severity
from statefmt.render.findings import fix_text
from tests.lint.pasting import paste
from tests.tables import each_row

_FOLDER: Final = Path(__file__).parents[1] / "configurations"
_FIXTURES: Final = sorted(path for path in _FOLDER.iterdir() if (path / "terraform.tfstate").is_file())
_COMMAND: Final = re.compile("`(statetool [^`]*)`")
# How the provider of the state is named again: what is replaced in the configuration, and by what.
_NAMED_AGAIN: Final = {
    "alias-renamed-and-for-each-added": (r"aws\.new\[each.key\]", "aws.old"),
    "alias-renamed-": (r"aws\.new\b", "aws.old"),
    "fallback-impossible": (r"aws\.new\b", "aws.old"),
    "for-each-added-": (r"aws\.by_region\[.*\]", "aws.by_region"),
    "for-each-removed-keyed": (r"aws\.by_region$", "aws.by_region[each.key]"),
    "for-each-removed-": (r"aws\.by_region$", 'aws.by_region["eu-west-1"]'),
    "key-changed-keyed": (r"a = .us-east-1.", 'a = "eu-west-1"'),
    "key-changed-": (r"by_region\[.us-east-1.\]", 'by_region["eu-west-1"]'),
    "key-passed-to-what-is-gone": (r"by_region\[.us-east-1.\]", 'by_region["eu-west-1"]'),
    "deposed-beside-current": (r"by_region\[.us-east-1.\]", 'by_region["eu-west-1"]'),
}


def _found(folder: Path) -> list[Finding]:
    state = folder / "terraform.tfstate"
    references = ProviderReferences(load(folder))
    held = check(state.read_bytes(), select=["CFS"], configuration=references, name=str(state))
    return [*held, *(finding for finding in check_configuration(references) if finding.severity is Severity.ERROR)]


def _about(fixture: Path) -> Iterator[tuple[int, Finding]]:
    yield from ((number, each) for number, each in enumerate(_found(fixture)) if each.code.startswith("CFS"))


def _commands() -> Iterator[Any]:
    for fixture in _FIXTURES:
        for number, finding in _about(fixture):
            for at, command in enumerate(_COMMAND.findall(fix_text(finding.fix))):
                name = command.split()[1]
                yield pytest.param(fixture, number, at, id=f"{fixture.name}-{finding.code}-{number}-{name}")


def _printed() -> Iterator[Any]:
    for fixture in _FIXTURES:
        for number, finding in _about(fixture):
            if finding.fix.snippet or _names_again(finding):
                yield pytest.param(fixture, number, id=f"{fixture.name}-{finding.code}-{number}")


def _names_again(finding: Finding) -> bool:
    return re.search(r"[Nn]ame the .*from the state|references with", fix_text(finding.fix)) is not None


def _copied(fixture: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "a configuration"
    shutil.copytree(fixture, folder)
    return folder


def _mended(folder: Path, before: list[Finding], finding: Finding) -> None:
    known = {(each.code, each.address) for each in before}
    after = {(each.code, each.address) for each in _found(folder)}
    assert (finding.code, finding.address) not in after
    assert {(code, address) for code, address in after - known if code != Code.PROVIDER_KEY_UNUSED} == set()


@each_row(("fixture", "number", "at"), list(_commands()))
def test_a_command(fixture: Path, number: int, at: int, tmp_path: Path) -> None:
    folder = _copied(fixture, tmp_path)
    before = _found(folder)
    finding = before[number]
    program, *arguments = shlex.split(_COMMAND.findall(fix_text(finding.fix))[at])
    assert (program, arguments[-2:]) == ("statetool", ["--state", str(folder / "terraform.tfstate")])
    assert main([*arguments, "--yes"]) == 0
    _mended(folder, before, finding)


def _fill_in(folder: Path) -> None:
    """Replace the values that nobody but the user knows. Until then, the configuration does not pass."""
    for file in folder.rglob("*.tf"):
        text = file.read_text()
        if "= OLD_VALUE" in text:
            assert Code.PROVIDER_FOR_EACH_INVALID in {finding.code for finding in _found(folder)}
            file.write_text(text.replace("= OLD_VALUE", '= { region = "eu-west-1" }'))


@pytest.mark.parametrize("value", ["null", '{ region = "us-east-1" }'])
def test_a_null_value_that_the_block_uses(value: str, tmp_path: Path) -> None:
    folder = _copied(_FOLDER / "element-removed-from-a-literal-map", tmp_path)
    file = folder / "main.tf"
    file.write_text(file.read_text().replace("eu-west-1 = {", f"us-east-1 = {value}\n    eu-west-1 = {{"))
    found = [each for each in _found(folder) if each.code == Code.PROVIDER_FOR_EACH_INVALID]
    assert [each.detail.endswith('The value of the key ["us-east-1"] in for_each is null.') for each in found] == (
        [True] if value == "null" else []
    )


@each_row(("fixture", "number"), list(_printed()))
def test_the_configuration_that_is_named_or_printed(fixture: Path, number: int, tmp_path: Path) -> None:
    folder = _copied(fixture, tmp_path)
    before = _found(folder)
    finding = before[number]
    if finding.fix.snippet:
        paste(folder, finding)
        _fill_in(folder)
    if _names_again(finding):
        edit = next(edit for name, edit in _NAMED_AGAIN.items() if fixture.name.startswith(name))
        for file in folder.rglob("*.tf"):
            file.write_text(re.sub(*edit, file.read_text(), flags=re.MULTILINE))
    _mended(folder, before, finding)


_REGIONS: Final = """\
provider "aws" {
  alias    = "by_key"
  for_each = { new = { region = "eu-west-1" }, other = { region = "us-east-1" } }
  region   = REGION
  assume_role {
    role_arn = ROLE
  }
}
"""


@pytest.mark.parametrize("host", ["registry.opentofu.org", "registry.terraform.io"])
@pytest.mark.parametrize(
    ("region", "role", "offered"),
    [
        ('"eu-west-1"', '"arn:a"', True),
        ("each.value.region", '"arn:a"', False),
        ("each.key", '"arn:a"', False),
        ('"eu-west-1"', "each.key", False),
        ("var.region", '"arn:a"', False),
    ],
)
def test_only_an_instance_with_equal_arguments_is_named(
    region: str, role: str, offered: bool, host: str, tmp_path: Path
) -> None:
    """Another region or account does not have the object. The provider has the name that the state has for it."""
    text = 'variable "region" {}\n' + _REGIONS.replace("REGION", region).replace("ROLE", role)
    (tmp_path / "main.tf").write_text(text)
    provider = f'provider["{host}/hashicorp/aws"].by_key'
    resource = {"mode": "managed", "type": "aws_vpc", "name": "main"}
    instance = {"schema_version": 0, "provider": f'{provider}["gone"]', "attributes": {"id": "a"}}
    state = {"version": 4, "serial": 1, "lineage": "l", "resources": [{**resource, "instances": [instance]}]}
    (tmp_path / "terraform.tfstate").write_text(json.dumps(state))
    [finding] = [each for each in _found(tmp_path) if each.code == Code.PROVIDER_INSTANCE_GONE]
    named = [command for command in _COMMAND.findall(fix_text(finding.fix)) if " rebind " in command]
    assert bool(named) is offered
    assert all(f'{provider}["new"]' in command for command in named)
    assert f'{provider}["gone"]' in finding.detail
    hosts = set(re.findall(r"registry[a-z.]+", finding.detail + fix_text(finding.fix)))
    assert hosts == {host}


@pytest.mark.parametrize("code", ["CFS001", "CFS002", "CFS003", "CFS004"])
def test_each_kind_of_finding_has_both(code: str) -> None:
    for cases in (_commands(), _printed()):
        assert any(f"-{code}-" in str(case.id) for case in cases)


def test_a_key_that_nothing_uses(tmp_path: Path) -> None:
    folder = _copied(_FOLDER / "key-unused", tmp_path)
    assert [each.code for each in _found(folder)] == [Code.PROVIDER_KEY_UNUSED]
    main_file = folder / "main.tf"
    main_file.write_text(main_file.read_text().replace(', "us-east-1"', ""))
    assert _found(folder) == []


def test_more_keys_than_are_listed(tmp_path: Path) -> None:
    """Each block has the key of its own finding, and says how many others there are."""
    folder = _copied(_FOLDER / "element-removed-from-both-root", tmp_path)
    (folder / "terraform.tfstate").write_text(
        json.dumps(
            {
                "version": 4,
                "serial": 1,
                "lineage": "3f1c2a77",
                "resources": [
                    {
                        "mode": "managed",
                        "type": "aws_vpc",
                        "name": "main",
                        "instances": [
                            {
                                "index_key": f"k{number}",
                                "provider": f'provider["registry.opentofu.org/hashicorp/aws"].by_region["k{number}"]',
                                "attributes": {},
                            }
                            for number in range(60)
                        ],
                    }
                ],
            }
        )
    )
    before = [finding for finding in _found(folder) if finding.code == Code.PROVIDER_INSTANCE_GONE]
    assert len(before) == 60
    last = next(finding for finding in before if finding.address == 'aws_vpc.main["k59"]')
    assert "# 9 more keys are missing" in last.fix.snippet
    paste(folder, last)
    assert last.address not in {finding.address for finding in _found(folder)}


_ACCOUNTS: Final = """\
provider "aws" {
  alias    = "acct"
  for_each = toset(["dev/eu-west-1", "prod/eu-west-1", "dev/xus"])
  region   = split("/", each.key)[1]
}
resource "aws_vpc" "kept" {
  provider = aws.acct["dev/eu-west-1"]
}
"""
_SOURCE: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _bound(name: str, *keys: str, own_keys: bool = True) -> dict[str, Any]:
    """A resource with an instance for each key of aws.acct, which is its own key, too, or a number."""
    instances = [
        {"index_key": key if own_keys else at, "provider": f'{_SOURCE}.acct["{key}"]', "attributes": {"id": name + key}}
        for at, key in enumerate(keys)
    ]
    return {"mode": "managed", "type": "aws_vpc", "name": name, "instances": instances}


_US: Final = ("dev/us-east-1", "prod/us-east-1")
_EU: Final = ("dev/eu-west-1", "prod/eu-west-1")
# Resources, the arguments of `rm` without the state, and what is left.
_MANY: Final = {
    "a region of all accounts": (
        [_bound(name, *_US, *_EU) for name in ("a", "b", "c")],
        ["--provider", 'aws.acct["*/us-east-1"]'],
        [f'aws_vpc.{name}["{key}"]' for name in ("a", "b", "c") for key in _EU],
    ),
    "keys without a common word": (
        [_bound(name, "x1", "y1", *_EU) for name in ("a", "b", "c")],
        ["--provider", 'aws.acct["x1"]', "--provider", 'aws.acct["y1"]'],
        [f'aws_vpc.{name}["{key}"]' for name in ("a", "b", "c") for key in _EU],
    ),
    "wildcards in keys": (
        [_bound(name, "dev/*us", "prod/*us", "dev/xus") for name in ("a", "b", "c")],
        ["--provider", r'aws.acct["*/\*us"]'],
        [f'aws_vpc.{name}["dev/xus"]' for name in ("a", "b", "c")],
    ),
    "whole resources": (
        [_bound(name, *_US, own_keys=False) for name in ("a", "b", "c")] + [_bound("kept", *_EU)],
        ["aws_vpc.a", "aws_vpc.b", "aws_vpc.c"],
        [f'aws_vpc.kept["{key}"]' for key in _EU],
    ),
}


@pytest.mark.parametrize("case", _MANY)
def test_one_selector_for_many_addresses(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resources, arguments, left = _MANY[case]
    (tmp_path / "main.tf").write_text(_ACCOUNTS)
    state = tmp_path / "terraform.tfstate"
    state.write_text(json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": resources}))
    assert main(["check", "--config", str(tmp_path), "--select", "CFS002", str(state)]) == 1
    [command] = [each for each in _COMMAND.findall(capsys.readouterr().out) if " rm " in each]
    assert shlex.split(command) == ["statetool", "rm", *arguments, "--state", str(state)]
    assert main([*shlex.split(command)[1:], "--yes"]) == 0
    capsys.readouterr()
    assert main(["list", "--state", str(state)]) == 0
    assert capsys.readouterr().out.splitlines() == left


def test_one_selector_for_all_that_is_tainted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resources = [_bound(name, *_US, *_EU) for name in ("a", "b", "c")]
    for resource in resources:
        for instance in resource["instances"][1:]:
            instance["status"] = "tainted"
    state = tmp_path / "terraform.tfstate"
    state.write_text(json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": resources}))
    assert main(["check", "--select", "INS005", "--fail-on", "info", str(state)]) == 1
    [command] = _COMMAND.findall(capsys.readouterr().out)
    assert shlex.split(command) == ["statetool", "untaint", "--tainted", "--state", str(state)]
    assert main([*shlex.split(command)[1:], "--yes"]) == 0
    assert "tainted" not in state.read_text()


def test_one_selector_for_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A command without a selector would be refused."""
    (tmp_path / "main.tf").write_text("")
    state = tmp_path / "terraform.tfstate"
    resources = [_bound(name, *_US) for name in ("a", "b", "c")]
    state.write_text(json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": resources}))
    assert main(["check", "--config", str(tmp_path), "--select", "CFS001", str(state)]) == 1
    [command] = [each for each in _COMMAND.findall(capsys.readouterr().out) if " rm " in each]
    assert shlex.split(command)[2:-2] == ["--provider", "aws.acct"]
    assert main([*shlex.split(command)[1:], "--yes"]) == 0
    assert json.loads(state.read_text())["resources"] == []


def test_the_list_stays_if_no_selector_is_exact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The names have nothing in common, and the provider instance has an object that is still declared."""
    text = _ACCOUNTS.replace('"dev/eu-west-1"]\n}', '"gone"]\n}')
    (tmp_path / "main.tf").write_text(text)
    state = tmp_path / "terraform.tfstate"
    kept = {**_bound("kept", "gone"), "instances": [{"provider": f'{_SOURCE}.acct["gone"]', "attributes": {"id": "k"}}]}
    resources = [kept, *(_bound(name, "gone") for name in "abcde")]
    state.write_text(json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": resources}))
    assert main(["check", "--config", str(tmp_path), "--select", "CFS002", str(state)]) == 1
    [command] = [each for each in _COMMAND.findall(capsys.readouterr().out) if " rm " in each]
    assert main([*shlex.split(command)[1:], "--yes"]) == 0
    capsys.readouterr()
    assert main(["list", "--state", str(state)]) == 0
    assert capsys.readouterr().out.splitlines() == ["aws_vpc.kept"]
