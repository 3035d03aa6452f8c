"""Configurations that nobody wrote on purpose: `check`, `providers` and `simulate` say where, and go on."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from statefmt.hcl.syntax.json import LARGEST_FILE
from tests.adversary.runs import Forks
from tests.cli.conftest import Program

_FINE: Final = Path(__file__).parents[1] / "configurations" / "nothing-wrong-root"
_COMMANDS: Final = (("check",), ("providers",), ("simulate", "--without", "us-east-1"))
_LINKED_BACK: Final = 'module "up" {\n  source = "./below"\n}\n'


def _text(name: str, text: str | bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    return write


def _large(folder: Path) -> None:
    with (folder / "large.tf").open("wb") as file:
        # A file of 50 MB, of which a disk holds a line.
        file.write(b"# nothing\n")
        file.truncate(3 * LARGEST_FILE)


def _locked(folder: Path) -> None:
    (folder / "locked.tf").write_text("locals {}\n")
    (folder / "locked.tf").chmod(0)


def _locked_module(folder: Path) -> None:
    (folder / "locked").mkdir(mode=0)
    _text("call.tf", 'module "m" {\n  source = "./locked"\n}\n')(folder)


def _recursion(folder: Path) -> None:
    _text("up.tf", _LINKED_BACK)(folder)
    _text("below/main.tf", 'module "down" {\n  source = "../"\n}\n')(folder)


def _linked_recursion(folder: Path) -> None:
    _text("up.tf", _LINKED_BACK)(folder)
    (folder / "below").symlink_to(folder, target_is_directory=True)


def _looping_link(folder: Path) -> None:
    (folder / "loop.tf").symlink_to("loop.tf")


def _looping_module(folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    _text("call.tf", '\nmodule "m" {\n  source = "./loop"\n}\n')(folder)


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.tf")


_BROKEN: Final = {
    "half written": (_text("half.tf", 'resource "aws_vpc" "x" {\n  for_each = toset(['), "CFG001", "half.tf:2:20"),
    "half written JSON": (_text("half.tf.json", '{"provider": {"aws": {\n'), "CFG001", "half.tf.json:2:1"),
    "a string without end": (_text("a.tf", 'locals {\n  a = "b\n}\n'), "CFG001", "a.tf:2:7"),
    "a cycle of locals": (_text("a.tf", "locals {\n  a = local.b\n  b = local.a\n}\n"), "CFG003", "a.tf:2:3"),
    "a module that calls itself": (_text("a.tf", 'module "a" {\n  source = "./"\n}\n'), "CFG002", "a.tf:1:1"),
    "modules that call each other": (_recursion, "CFG002", "below/main.tf:1:1"),
    "a module that is a link to its caller": (_linked_recursion, "CFG002", "up.tf:1:1"),
    "a module that is not there": (_text("a.tf", '\nmodule "a" {\n  source = "./b"\n}\n'), "CFG002", "a.tf:2:1"),
    "a module that is a file": (_text("a.tf", 'module "a" {\n  source = "./a.tf"\n}\n'), "CFG002", "a.tf:1:1"),
    "a module that is a link to itself": (_looping_module, "CFG002", "call.tf:2:1"),
    "a module that is locked": (_locked_module, "CFG002", "call.tf:1:1"),
    "50 MB": (_large, "CFG001", "large.tf:1:1"),
    "no text": (_text("a.tf", bytes(range(256)) * 16), "CFG001", "a.tf:1:1"),
    "no permission": (_locked, "CFG001", "locked.tf:1:1"),
    "a pipe": (_pipe, "CFG001", "pipe.tf:1:1"),
    "a link to itself": (_looping_link, "CFG001", "loop.tf:1:1"),
    "values that are none": (_text("a.auto.tfvars", "a = \n"), "CFG001", "a.auto.tfvars:2:1"),
    "a value that fits no type": (
        _text("a.tf", 'variable "n" {\n  type    = number\n  default = "x"\n}\n'),
        "CFG003",
        "a.tf:3:13",
    ),
}


@pytest.mark.parametrize("command", _COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("name", _BROKEN)
def test_broken(forked: Forks, folder: Path, name: str, command: tuple[str, ...]) -> None:
    breaking, code, place = _BROKEN[name]
    shutil.copytree(_FINE, folder / "root")
    breaking(folder / "root")
    arguments = (*command, "--state", "root/terraform.tfstate", "--config", "root")
    result = forked(folder, *arguments, unprivileged=True)
    told = result.out + result.err
    assert result.status == 1
    assert "Traceback" not in told
    assert code in told
    assert f"root/{place}" in told


@pytest.mark.parametrize("command", _COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("directory", ["gone", "root/main.tf"])
def test_no_directory(program: Program, folder: Path, directory: str, command: tuple[str, ...]) -> None:
    shutil.copytree(_FINE, folder / "root")
    result = program(*command, "--state", "root/terraform.tfstate", "--config", directory)
    assert (result.status, result.out) == (2, b"")
    assert f"{directory}: not a directory" in result.err


@pytest.mark.parametrize("command", _COMMANDS, ids=lambda command: command[0])
def test_what_is_a_directory_is_no_file_of_it(program: Program, folder: Path, command: tuple[str, ...]) -> None:
    """As OpenTofu takes it: `dir.tf` is passed over."""
    shutil.copytree(_FINE, folder / "root")
    (folder / "root" / "dir.tf").mkdir()
    result = program(*command, "--state", "root/terraform.tfstate", "--config", "root")
    assert result.status == (1 if command[0] == "simulate" else 0)
    assert "dir.tf" not in result.out.decode() + result.err


@pytest.mark.parametrize("command", _COMMANDS, ids=lambda command: command[0])
def test_a_manifest_that_is_none(program: Program, folder: Path, command: tuple[str, ...]) -> None:
    shutil.copytree(_FINE, folder / "root")
    _text(".terraform/modules/modules.json", b"\xff\x00")(folder / "root")
    result = program(*command, "--state", "root/terraform.tfstate", "--config", "root")
    assert result.status == (1 if command[0] == "simulate" else 0)
    assert "root/.terraform/modules/modules.json:1:1" in result.out.decode() + result.err


@pytest.mark.parametrize("command", _COMMANDS[:2], ids=lambda command: command[0])
def test_what_was_not_read_is_not_called_missing(program: Program, folder: Path, command: tuple[str, ...]) -> None:
    shutil.copytree(_FINE, folder / "root")
    main = folder / "root" / "main.tf"
    main.write_text(main.read_text()[:-30])
    told = program(*command, "--state", "root/terraform.tfstate", "--config", "root")
    assert "missing" not in told.text
    assert "not present" not in told.text


@pytest.mark.parametrize("command", _COMMANDS, ids=lambda command: command[0])
def test_what_is_nested_too_deeply_is_not_known(program: Program, folder: Path, command: tuple[str, ...]) -> None:
    shutil.copytree(_FINE, folder / "root")
    main = folder / "root" / "main.tf"
    deep = "[" * 5000 + "]" * 5000
    main.write_text(main.read_text().replace("= local.providers", f"= {deep}"))
    result = program(*command, "--state", "root/terraform.tfstate", "--config", "root")
    told = result.out.decode() + result.err
    assert result.status == 0
    assert "nested too deeply" in " ".join(told.split())
