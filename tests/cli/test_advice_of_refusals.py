"""The way out that a refusal names is taken, on the state that caused it: the same command then succeeds."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.cli.main import main

_SOURCE: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_MAIN: Final = """\
resource "aws_vpc" "c" {
  for_each = toset(["x", "y"])
}
resource "aws_vpc" "one" {}
"""


def _resource(type_: str, name: str, *keys: int | None, id_: str = "", module: str = "") -> dict[str, Any]:
    return {
        **({"module": module} if module else {}),
        "mode": "managed",
        "type": type_,
        "name": name,
        "provider": _SOURCE,
        "instances": [
            {
                **({} if key is None else {"index_key": key}),
                "schema_version": 0,
                "attributes": {"id": id_ or f"{module}{name}{key}", "tags": {"Name": f"n{key}"}},
            }
            for key in keys
        ],
    }


_RESOURCES: Final = (
    _resource("aws_vpc", "c", 0, 1),
    _resource("aws_vpc", "one", None),
    _resource("aws_vpc", "m", 0, module="module.m[0]"),
    _resource("aws_vpc", "m", 0, module="module.m[1]"),
)
# What is refused, the words of the way out, and the command that takes it: a change of the refused one, or "" if the
# message has a whole command. `A`, `B` and `D` are states. B has another
# object for an address of A; B, D and E have another value of its output;
# E has a resource of A with another provider configuration.
_REFUSED: Final = {
    "mv, other types": (
        "mv aws_vpc.one aws_eip.x --state A",
        "--as-blocks prints the moved block",
        "mv aws_vpc.one aws_eip.x --state A --as-blocks",
    ),
    "mv, not declared": (
        "mv aws_vpc.one aws_vpc.new --config . --state A",
        "leave out --config",
        "mv aws_vpc.one aws_vpc.new --state A",
    ),
    "mv, to a module": (
        "mv 'aws_vpc.c[0]' 'module.x[0]' --state A",
        "give a full address: module.x[0].aws_vpc.c[0]",
        "mv 'aws_vpc.c[0]' 'module.x[0].aws_vpc.c[0]' --state A",
    ),
    "mv, to a state that does not exist": (
        "mv aws_vpc.one --from-state A --to-state C",
        "use --create",
        "mv aws_vpc.one --from-state A --to-state C --create",
    ),
    "rm, nothing selected": ("rm --state A", "'**' selects all", "rm '**' --state A"),
    "rm, a typing error": ("rm aws_vpc.on --state A", "aws_vpc.one", "rm aws_vpc.one --state A"),
    "rebind, an unknown provider": ("rebind aws_vpc.c aws.west --state A", "If this is intended, run:", ""),
    "rebind, a part of a resource": (
        "rebind 'aws_vpc.c[0]' aws.west --new-provider --state A",
        "use --whole-resource",
        "rebind 'aws_vpc.c[0]' aws.west --new-provider --state A --whole-resource",
    ),
    "rebind, another provider": (
        "rebind aws_vpc.c 'provider[\"acme/aws\"]' --state A",
        "use `statetool replace-provider`",
        "replace-provider hashicorp/aws acme/aws aws_vpc.c --new-provider --state A",
    ),
    "rekey, several new keys": ("rekey aws_vpc.c --config . --state A", "check that order, and run:", ""),
    "rekey, a module by an attribute": (
        "rekey module.m --by tags.Name --state A",
        "use --map instead of --by",
        "rekey module.m --map 0=x,1=y --state A",
    ),
    "rekey, a path that does not exist": (
        "rekey aws_vpc.c --by tags.Nam --state A",
        "tags.Name",
        "rekey aws_vpc.c --by tags.Name --state A",
    ),
    "replace-provider, an unknown provider": (
        "replace-provider hashicorp/aws acme/aws --state A",
        "If this is intended, run:",
        "",
    ),
    "replace-provider, a part of a resource": (
        "replace-provider hashicorp/aws acme/aws 'aws_vpc.c[0]' --new-provider --state A",
        "use --whole-resource",
        "replace-provider hashicorp/aws acme/aws 'aws_vpc.c[0]' --new-provider --state A --whole-resource",
    ),
    "join, different objects": (
        "join A --into B --outputs-from A",
        "put one of the states into a module with --prefix",
        "join A --into B --outputs-from A --prefix A=module.a",
    ),
    "join, different outputs": ("join A --into D", "with --outputs-from", "join A --into D --outputs-from D"),
    "join, another provider configuration": (
        "join A --into E --outputs-from A",
        "put one of the states into a module with --prefix",
        "join A --into E --outputs-from A --prefix A=module.a",
    ),
    "join, another provider configuration, rebound": (
        "join A --into E --outputs-from A",
        "bind all instances of the resource to one configuration first, with `statetool rebind`",
        "rebind aws_vpc.c aws.west --new-provider --state A && join A --into E --outputs-from A",
    ),
    "join, no state": ("join A --into C", "use --create", "join A --into C --create"),
}


def _words(command: str, folder: Path) -> list[str]:
    return [re.sub(r"^([A-E])\b", rf"{folder}/\1", word) for word in shlex.split(command)] + ["--yes"]


def _write(path: Path, lineage: str, output: str, *resources: dict[str, Any]) -> None:
    outputs = {"o": {"value": output, "type": "string"}}
    state = {"version": 4, "serial": 1, "lineage": lineage, "outputs": outputs, "resources": resources}
    path.write_text(json.dumps(state))


@pytest.mark.parametrize("case", _REFUSED)
def test_the_way_out(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused, words, taken = _REFUSED[case]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.tf").write_text(_MAIN)
    _write(tmp_path / "A", "a", "1", *_RESOURCES)
    _write(tmp_path / "B", "b", "2", _resource("aws_vpc", "c", 0, id_="another"))
    _write(tmp_path / "D", "d", "2")
    west = _resource("aws_vpc", "c", 2)
    _write(tmp_path / "E", "e", "2", west | {"provider": f"{_SOURCE}.west"})
    before = {path.name: path.read_bytes() for path in tmp_path.glob("[A-E]")}
    assert main(_words(refused, tmp_path)) == 2
    message = capsys.readouterr().err
    assert words.lower() in re.sub(r"\s+", " ", message).lower()
    assert {path.name: path.read_bytes() for path in tmp_path.glob("[A-E]")} == before
    lines = re.findall(r"^  statetool (.*)$", message, re.MULTILINE)
    assert bool(lines) is not bool(taken)
    for command in (taken or lines[0]).split(" && "):
        assert main(_words(command, tmp_path)) == 0
    if "--as-blocks" not in taken:
        assert {path.name: path.read_bytes() for path in tmp_path.glob("[A-E]")} != before
