"""The way out of a refused join, with a configuration: its commands are run, and then the same `mv` succeeds.

The configuration has copies for each region that become one resource with `for_each`.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.cli.main import main

_MAIN: Final = """\
provider "aws" {
  alias    = "by_region"
  for_each = { us = "us-east-1", eu = "eu-west-1" }
  region   = each.value
}
provider "aws" {
  alias  = "eu"
  region = "eu-west-1"
}
resource "aws_s3_bucket" "primary" {
  for_each = toset(["us", "eu", "ap"])
  provider = PROVIDER
}
"""


def _resource(name: str, provider: str, *instances: tuple[str | None, str], host: str) -> dict[str, Any]:
    """A resource bound to `aws.PROVIDER`, with pairs of keys and provider keys ("" for none)."""
    return {
        "mode": "managed",
        "type": "aws_s3_bucket",
        "name": name,
        "instances": [
            {
                **({} if key is None else {"index_key": key}),
                "provider": f'provider["{host}/hashicorp/aws"].{provider}' + (f'["{of}"]' if of else ""),
                "attributes": {"id": f"{name}{key}"},
            }
            for key, of in instances
        ],
    }


# What the configuration says, the resources, the move, and the number of commands before it.
_EACH: Final = "aws.by_region[each.key]"
_CASES: Final[dict[str, tuple[str, list[tuple[str, str, list[tuple[str | None, str]]]], list[str], int]]] = {
    "copies of another configuration, both": (
        _EACH,
        [("primary", "us", [("us", "")]), ("old", "eu", [(None, "")])],
        ["aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]'],
        1,
    ),
    "only what joins": (
        _EACH,
        [("primary", "by_region", [("us", "us")]), ("old", "eu", [(None, "")])],
        ["aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]'],
        0,
    ),
    "only what is joined": (
        _EACH,
        [("primary", "us", [("us", "")]), ("old", "by_region", [(None, "eu")])],
        ["aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]'],
        1,
    ),
    "a key of the same configuration is wrong, too": (
        _EACH,
        [("primary", "us", [("us", "")]), ("old", "by_region", [(None, "us")])],
        ["aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]'],
        1,
    ),
    "two that become one": (
        _EACH,
        [("old_us", "us", [(None, "")]), ("old_eu", "eu", [(None, "")])],
        ["aws_s3_bucket.old_*", 'aws_s3_bucket.primary["$1"]'],
        0,
    ),
    "one configuration for all": (
        "aws.eu",
        [("primary", "us", [("us", "")]), ("old", "by_region", [(None, "eu")])],
        ["aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]'],
        1,
    ),
}


def _set_up(
    folder: Path, provider: str, resources: list[tuple[str, str, list[tuple[str | None, str]]]], host: str
) -> Path:
    (folder / "main.tf").write_text(_MAIN.replace("PROVIDER", provider))
    state = folder / "terraform.tfstate"
    made = [_resource(name, alias, *instances, host=host) for name, alias, instances in resources]
    state.write_text(json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": made}))
    return state


def _refused(move: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(move) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("host", ["registry.opentofu.org", "registry.terraform.io"])
@pytest.mark.parametrize("case", _CASES)
def test_the_commands_lead_to_what_the_configuration_says(
    case: str, host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    provider, resources, move, number = _CASES[case]
    state = _set_up(tmp_path, provider, resources, host)
    command = ["mv", *move, "--state", str(state), "--config", str(tmp_path), "--yes"]
    message = _refused(command, capsys)
    assert "--rebind" in message
    lines = re.findall(r"^  statetool (.*)$", message, re.MULTILINE)
    assert len(lines) == number
    for line in lines:
        assert main([*shlex.split(line), "--yes"]) == 0
    assert main([*command, "--rebind"]) == 0
    capsys.readouterr()
    main(["check", "--config", str(tmp_path), "--select", "CFS", "--ignore", "CFS005", str(state)])
    assert "CFS" not in capsys.readouterr().out


def test_the_option_where_it_does_what_the_configuration_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    resources: list[Any] = [("primary", "eu", [("us", "")]), ("old", "us", [(None, "")])]
    state = _set_up(tmp_path, "aws.eu", resources, "registry.opentofu.org")
    move = ["mv", "aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]', "--state", str(state), "--config", str(tmp_path)]
    assert re.search(r"--rebind binds it to\s+provider\S+\.eu, as\s+the configuration does", _refused(move, capsys))
    assert main([*move, "--rebind", "--yes"]) == 0
    capsys.readouterr()
    main(["check", "--config", str(tmp_path), "--select", "CFS", "--ignore", "CFS005", str(state)])
    assert "CFS" not in capsys.readouterr().out


def _bindings(state: Path) -> dict[str, str]:
    """The providers by the instances, without the source."""
    found = {}
    for resource in json.loads(state.read_text())["resources"]:
        for one in resource["instances"]:
            key = f"[{json.dumps(one['index_key'])}]" if "index_key" in one else ""
            provider = one.get("provider") or resource["provider"]
            found[resource["name"] + key] = provider.partition("]")[2]
    return found


def test_the_instances_that_stay_keep_their_provider(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resources: list[Any] = [("primary", "by_region", [("us", "us")]), ("old", "eu", [("a", ""), ("b", "")])]
    state = _set_up(tmp_path, _EACH, resources, "registry.opentofu.org")
    source = 'aws_s3_bucket.old["a"]'
    move = ["mv", source, 'aws_s3_bucket.primary["eu"]', "--state", str(state), "--config", str(tmp_path), "--yes"]
    message = _refused(move, capsys)
    assert 'by_region["eu"]' in message
    assert "\n  statetool" not in message
    assert main([*move, "--rebind"]) == 0
    assert _bindings(state) == {
        'primary["us"]': '.by_region["us"]',
        'primary["eu"]': '.by_region["eu"]',
        'old["b"]': ".eu",
    }


def test_no_command_where_others_would_be_bound_wrongly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The configuration does not say where the instance belongs that stays in the resource."""
    resources: list[Any] = [("primary", "us", [("sa", "")]), ("old", "eu", [(None, "")])]
    state = _set_up(tmp_path, _EACH, resources, "registry.opentofu.org")
    move = ["mv", "aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]', "--state", str(state), "--config", str(tmp_path)]
    message = _refused(move, capsys)
    assert 'by_region["eu"]' in message
    assert "--rebind" not in message
    assert "\n  statetool" not in message


def test_no_command_binds_an_object_to_another_region(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resources: list[Any] = [("primary", "by_region", [("us", "us")]), ("old", "eu", [(None, "")])]
    state = _set_up(tmp_path, _EACH, resources, "registry.opentofu.org")
    document = json.loads(state.read_text())
    document["resources"][1]["instances"][0]["attributes"]["region"] = "us-east-1"
    state.write_text(json.dumps(document))
    move = ["mv", "aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]', "--state", str(state), "--config", str(tmp_path)]
    before = state.read_bytes()
    for command in (move, [*move, "--rebind"]):
        message = " ".join(_refused([*command, "--yes"], capsys).split())
        assert "the object is in region us-east-1, the provider instance in eu-west-1" in message
        assert re.search(r'Only \S+\.by_region\["us"\] does not contradict', message)
        assert state.read_bytes() == before
    assert main([*move, "--rebind", "--allow-mismatch", "--yes"]) == 0
    assert _bindings(state)['primary["eu"]'] == '.by_region["eu"]'


@pytest.mark.parametrize(("provider", "is_right"), [("aws.us", True), ("aws.eu", False), (_EACH, False)])
def test_a_join_in_another_state(
    provider: str, is_right: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    state = _set_up(tmp_path, provider, [("primary", "us", [("us", "")])], "registry.opentofu.org")
    main_file = tmp_path / "main.tf"
    main_file.write_text(main_file.read_text() + 'provider "aws" {\n  alias = "us"\n}\n')
    (tmp_path / "other").mkdir()
    other = _set_up(tmp_path / "other", provider, [("old", "eu", [(None, "")])], "registry.opentofu.org")
    move = ["mv", "--from-state", str(other), "--to-state", str(state), "--config", str(tmp_path), "--yes"]
    move += ["aws_s3_bucket.old", 'aws_s3_bucket.primary["eu"]']
    message = _refused(move, capsys)
    assert ("--rebind" in message) is is_right
    assert ("The configuration uses" in message) is not is_right
    if is_right:
        assert main([*move, "--rebind"]) == 0


def test_the_option_where_the_configuration_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resources: list[Any] = [("other", "us", [("us", "")]), ("old", "eu", [(None, "")])]
    state = _set_up(tmp_path, _EACH, resources, "registry.opentofu.org")
    move = ["mv", "aws_s3_bucket.old", 'aws_s3_bucket.other["eu"]', "--state", str(state)]
    message = _refused(move, capsys)
    assert "--rebind" in message
    assert "--config" in message
    told = _refused([*move, "--config", str(tmp_path)], capsys)
    assert "does not determine" in told
    assert "--config" not in told
    assert main([*move, "--rebind", "--yes"]) == 0
