"""`check`, `providers` and `simulate` with `--config`, as they are used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.tables import each_row

_FOLDER: Final = Path(__file__).parents[1] / "configurations"
_SCHEMAS: Final = Path(__file__).parents[2] / "schemas"
_BOTH: Final = _FOLDER / "element-removed-from-both-root"
_FINE: Final = _FOLDER / "nothing-wrong-root"
_UNUSED: Final = _FOLDER / "key-unused"


def _json(statetool: Statetool, schema: str, *arguments: str, status: int) -> dict[str, Any]:
    result = statetool(*arguments, "--format", "json")
    assert result.status == status
    document: dict[str, Any] = json.loads(result.out)
    jsonschema.validate(document, json.loads((_SCHEMAS / f"{schema}.schema.json").read_bytes()))
    return document


def _state(folder: Path) -> str:
    return str(folder / "terraform.tfstate")


def test_findings_stand_where_they_are(statetool: Statetool) -> None:
    document = _json(statetool, "check-output", "check", _state(_BOTH), "--config", str(_BOTH), status=1)
    configuration, state = document["files"]
    assert [(found["code"], found["file"], found["line"]) for found in configuration["findings"]] == [
        ("CFG010", str(_BOTH / "main.tf"), 21)
    ]
    gone = next(found for found in state["findings"] if found["code"] == "CFS002")
    assert (gone["file"], gone["line"], gone["column"]) == (str(_BOTH / "main.tf"), 16, 3)
    assert gone["snippet"].splitlines()[2] == '  for_each = setunion(var.regions, ["us-east-1"])'


@each_row(
    ("arguments", "status"),
    [
        ((_state(_BOTH), "--config", str(_BOTH)), 1),
        ((_state(_BOTH),), 0),
        (("--config", str(_BOTH), "--no-state"), 0),
        (("--config", str(_BOTH), "--no-state", "--fail-on", "warning"), 1),
        (("--config", str(_FOLDER / "alias-undeclared"), "--no-state"), 1),
        ((_state(_FINE), "--config", str(_FINE)), 0),
        ((_state(_BOTH), "--config", str(_BOTH), "--var", 'regions=["eu-west-1", "us-east-1"]'), 0),
        ((_state(_BOTH), "--config", str(_BOTH), "--ignore", "CFS"), 0),
        ((_state(_BOTH), "--config", str(_BOTH / "missing")), 2),
        ((_state(_BOTH), "--config", str(_BOTH), "--no-state"), 2),
        (("--no-state",), 2),
        ((_state(_BOTH), "--var", "a=b"), 2),
        ((_state(_BOTH), "--config", str(_BOTH), "--var", "regions"), 2),
    ],
)
def test_check_status(statetool: Statetool, arguments: tuple[str, ...], status: int) -> None:
    assert statetool("check", *arguments).status == status


@pytest.mark.parametrize("output_format", ["text", "github", "junit", "sarif"])
def test_every_format_names_the_file_of_the_configuration(statetool: Statetool, output_format: str) -> None:
    result = statetool("check", _state(_BOTH), "--config", str(_BOTH), "--format", output_format)
    assert result.status == 1
    assert "main.tf" in result.text
    assert "for_each = setunion(" in result.text.replace("&quot;", '"')


def test_a_state_from_standard_input(program: Program) -> None:
    result = program("check", "-", "--config", str(_BOTH), stdin=(_BOTH / "terraform.tfstate").read_bytes())
    assert result.status == 1
    assert "Provider instance not present" in result.text


def test_a_configuration_without_a_state(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing state is no success: it may be the wrong directory."""
    monkeypatch.chdir(folder)
    result = statetool("check", "--config", str(_FOLDER / "instance-keys-invalid"))
    assert result.status == 2
    assert "CFG018" in result.text
    assert "--no-state checks the configuration alone" in " ".join(result.err.split())
    assert statetool("check", "--config", str(_FOLDER / "instance-keys-invalid"), "--no-state").status == 1
    assert statetool("check", "--config", str(_FOLDER / "nothing-wrong-root"), "--no-state").status == 0


def test_providers_declared_against_used(statetool: Statetool) -> None:
    document = _json(statetool, "providers-config-output", "providers", _state(_BOTH), "--config", str(_BOTH), status=1)
    (configuration,) = document["configurations"]
    instances = configuration["instances"]
    told = {one["key"]: (one["declared"], one["resource_instances"], one["missing"]) for one in instances}
    assert told == {"eu-west-1": (True, 1, False), "us-east-1": (False, 1, True)}


def test_providers_that_nothing_uses(statetool: Statetool) -> None:
    document = _json(
        statetool, "providers-config-output", "providers", _state(_UNUSED), "--config", str(_UNUSED), status=0
    )
    (configuration,) = document["configurations"]
    assert {one["key"]: one["unused"] for one in configuration["instances"]} == {"eu-west-1": False, "us-east-1": True}
    assert statetool("providers", _state(_UNUSED), "--config", str(_UNUSED)).text.count("unused") == 1


@pytest.mark.parametrize("version", [2, 3])
def test_simulate_on_a_state_of_an_older_format(statetool: Statetool, folder: Path, version: int) -> None:
    """The current object and the deposed one of an instance, which no pointer into such a file tells apart."""
    obj = {"id": "i-1", "attributes": {"id": "i-1"}, "meta": {}, "tainted": False}
    web = {"type": "aws_instance", "depends_on": [], "primary": obj, "deposed": [obj], "provider": "provider.aws.west"}
    root = {"path": ["root"], "outputs": {}, "resources": {"aws_instance.web": web}, "depends_on": []}
    document = {"version": version, "terraform_version": "0.9.1", "serial": 1, "lineage": "x", "modules": [root]}
    (folder / "old.tfstate").write_text(json.dumps(document))
    (folder / "main.tf").write_text(
        'provider "aws" {\n  alias    = "west"\n  for_each = toset(["a", "b"])\n}\n'
        'resource "aws_instance" "web" {\n  provider = aws.west["a"]\n}\n'
    )
    arguments = ("simulate", "old.tfstate", "--config", ".", "--without", "a")
    found = _json(statetool, "simulate-output", *arguments, status=1)["orphaned"]
    assert {one["address"] for one in found} == {"aws_instance.web"}
    assert statetool(*arguments).status == 1


@pytest.mark.parametrize(
    ("folder", "change", "orphaned"),
    [
        (_FINE, ("--without", "us-east-1"), ['aws_vpc.main["us-east-1"]']),
        (_FINE, ("--without", "us-east-1", "--without", "eu-west-1"), ["eu", "us"]),
        (_UNUSED, ("--without", "us-east-1"), []),
        (_BOTH, ("--var", "regions=[]"), ['aws_vpc.main["eu-west-1"]']),
        (_BOTH, ("--var", 'regions=["eu-west-1", "us-east-1"]'), []),
    ],
)
def test_simulate(statetool: Statetool, folder: Path, change: tuple[str, ...], orphaned: list[str]) -> None:
    arguments = ("simulate", _state(folder), "--config", str(folder), *change)
    document = _json(statetool, "simulate-output", *arguments, status=1 if orphaned else 0)
    addresses = [found["address"] for found in document["orphaned"]]
    assert all(part in address for part, address in zip(orphaned, addresses, strict=True))
    assert statetool(*arguments).status == (1 if orphaned else 0)


@pytest.mark.parametrize("arguments", [(), ("--config", str(_FINE)), ("--without", "a")])
def test_simulate_needs_a_configuration_and_a_change(statetool: Statetool, arguments: tuple[str, ...]) -> None:
    assert statetool("simulate", _state(_FINE), *arguments).status == 2


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("--without", "us-est-1"), "no for_each has the key us-est-1; the keys are: eu-west-1, us-east-1"),
        (("--without", "us-east-1", "--without", ""), "no for_each has the key"),
    ],
)
def test_simulate_refuses_a_key_that_is_nowhere(statetool: Statetool, change: tuple[str, ...], told: str) -> None:
    result = statetool("simulate", _state(_FINE), "--config", str(_FINE), *change)
    assert (result.status, result.out) == (2, b"")
    assert told in result.err


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ((), "Missing option '--config': the directory of the configuration."),
        (("--without", "us-east-1"), "Missing option '--config': the directory of the configuration."),
        (("--config", str(_FINE)), "Missing option '--without' or '--var': the change to simulate, either a for_each"),
    ],
    ids=["nothing", "no configuration", "no change"],
)
def test_simulate_says_what_is_missing(statetool: Statetool, arguments: tuple[str, ...], missing: str) -> None:
    result = statetool("simulate", _state(_FINE), *arguments)
    assert (result.status, result.out) == (2, b"")
    assert missing in result.err
    assert "Invalid value" not in result.err


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ('region=["us-east-1"]', "CFG003"),
        ("regions=[", "CFG009"),
        ("regions=eu", "CFG009"),
        ('regions={"a": 1}', "CFG009"),
        ("regions=null", "CFG009"),
    ],
)
def test_simulate_does_not_call_a_wrong_value_harmless(statetool: Statetool, value: str, code: str) -> None:
    arguments = ("simulate", _state(_BOTH), "--config", str(_BOTH), "--var", value)
    document = _json(statetool, "simulate-output", *arguments, status=1)
    assert code in {problem["code"] for problem in document["problems"]}
    result = statetool(*arguments)
    assert result.status == 1
    assert code in result.err
    assert "As far as is known" in result.text


@pytest.mark.parametrize("value", ['["us-east-1"]', '[ "us-east-1", ]', '["us-${"east"}-1"]'])
def test_simulate_takes_values_in_both_syntaxes(statetool: Statetool, value: str) -> None:
    arguments = ("simulate", _state(_BOTH), "--config", str(_BOTH), "--var", f"regions={value}")
    (orphan,) = _json(statetool, "simulate-output", *arguments, status=1)["orphaned"]
    assert orphan["provider"] == 'provider["registry.opentofu.org/hashicorp/aws"].by_region["eu-west-1"]'


def test_simulate_prints_a_block_once(statetool: Statetool) -> None:
    change = ("--without", "us-east-1", "--without", "eu-west-1")
    text = statetool("simulate", _state(_FINE), "--config", str(_FINE), *change).text
    assert text.count("for_each = merge(local.providers, {") == 1
    assert text.count('\n      aws_vpc.main["') == 2


@pytest.mark.parametrize("command", [("providers",), ("simulate", "--without", "us-east-1")])
def test_a_configuration_that_is_not_known_in_full(statetool: Statetool, command: tuple[str, ...]) -> None:
    folder = _FOLDER / "module-missing"
    state = _state(_FINE)
    schema = "providers-config-output" if command[0] == "providers" else "simulate-output"
    document = _json(statetool, schema, command[0], state, "--config", str(folder), *command[1:], status=1)
    (problem,) = document["problems"]
    assert (problem["code"], problem["line"]) == ("CFG002", 9)


@pytest.mark.parametrize("command", [("providers",), ("simulate", "--without", "us-east-1")])
def test_a_state_that_is_piped(program: Program, command: tuple[str, ...]) -> None:
    state = (_FINE / "terraform.tfstate").read_bytes()
    piped = program(command[0], "-", "--config", str(_FINE), *command[1:], stdin=state)
    named = program(command[0], _state(_FINE), "--config", str(_FINE), *command[1:])
    assert (piped.status, piped.out, piped.err) == (named.status, named.out, named.err)


@pytest.mark.parametrize("command", [("check",), ("providers",), ("simulate", "--without", "us-east-1")])
def test_a_state_that_is_encrypted(statetool: Statetool, folder: Path, command: tuple[str, ...]) -> None:
    state = (_FINE / "terraform.tfstate").read_bytes()
    (folder / "plain").write_bytes(state)
    (folder / "sealed").write_bytes(encrypted(state, "new"))
    (folder / "new.json").write_text(json.dumps(configuration("new")))
    arguments = (*command[1:], "--config", str(_FINE))
    plain = statetool(command[0], "plain", *arguments)
    sealed = statetool(command[0], "sealed", *arguments, "--encryption", "new.json")
    assert (sealed.status, sealed.out) == (plain.status, plain.out)
    assert statetool(command[0], "sealed", *arguments).status == 2


def _module_that_had_its_provider(folder: Path, name: str) -> None:
    """Write a state whose module had a provider block, and a configuration with the block in the root module only."""
    (folder / "s.tfstate").write_text(
        json.dumps({
            "version": 4, "terraform_version": "1.9.0", "serial": 9, "lineage": "l", "outputs": {}, "resources": [{
                "module": "module.cluster", "mode": "managed", "type": "hcloud_server", "name": "cp",
                "provider": 'module.cluster.provider["registry.terraform.io/hetznercloud/hcloud"]',
                "instances": [{"schema_version": 0, "attributes": {"id": "77"}}],
            }],
        })
    )  # fmt: skip
    (folder / "c").mkdir()
    (folder / "c/main.tf").write_text(
        f'terraform {{\n  required_providers {{\n    {name} = {{ source = "hetznercloud/hcloud" }}\n  }}\n}}\n'
        f'provider "{name}" {{}}\n'
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [("hcloud", ()), ("hcloud", ("--new-provider",)), ("hcloud", ("--config", "c")), ("cloud", ("--config", "c"))],
)
def test_rebind_to_a_short_name(name: str, options: tuple[str, ...], statetool: Statetool, folder: Path) -> None:
    """It is the configuration of the root module, by the name that it has there, and not the one that is gone."""
    _module_that_had_its_provider(folder, name)
    done = statetool("rebind", "module.cluster.hcloud_server.cp", name, "--state", "s.tfstate", *options)
    assert done.status == 0, done.err
    [resource] = json.loads((folder / "s.tfstate").read_text())["resources"]
    assert resource["provider"] == 'provider["registry.terraform.io/hetznercloud/hcloud"]'


def test_no_command_that_changes_nothing_is_offered(statetool: Statetool, folder: Path) -> None:
    """To bind an object to what it is bound to is no new provider."""
    _module_that_had_its_provider(folder, "hcloud")
    bound = 'module.cluster.provider["registry.terraform.io/hetznercloud/hcloud"]'
    done = statetool("rebind", "module.cluster.hcloud_server.cp", bound, "--state", "s.tfstate", "--config", "c")
    assert done.status == 0
    assert "--new-provider" not in done.err
    assert f"the selected instances are bound to {bound} already" in done.text


def test_a_provider_whose_function_or_action_is_used_is_not_unused(statetool: Statetool, folder: Path) -> None:
    main = """
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  alias = "of_function"
}
provider "aws" {
  alias = "of_action"
}
provider "aws" {
  alias = "of_list"
}
provider "aws" {
  alias = "of_nothing"
}
output "arn" {
  value = provider::aws::of_function::arn_parse("x")
}
action "aws_lambda_invoke" "warm" {
  provider = aws.of_action
}
"""
    (folder / "main.tf").write_text(main, encoding="utf-8")
    query = 'list "aws_instance" "all" {\n  provider = aws.of_list\n}\n'
    (folder / "all.tfquery.hcl").write_text(query, encoding="utf-8")
    document = _json(
        statetool, "providers-config-output", "providers", _state(_FINE), "--config", str(folder), status=1
    )
    found = {each["alias"]: [one["unused"] for one in each["instances"]] for each in document["configurations"]}
    assert found["of_nothing"] == [True]
    assert [found[name] for name in ("of_function", "of_action", "of_list")] == [[False]] * 3
