"""Programs that only the configuration under review names: they run with --allow-external, and not without it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import PROGRAM, Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES

REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
KEY: Final = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
# Leaves a file behind, and gives the key of `old` in tests/cli/encrypted.py.
GIVES_KEYS: Final = f"""
import pathlib, sys
pathlib.Path("ran").touch()
sys.stdin.read()
print('{{"magic":"OpenTofu-External-Key-Provider","version":1}}')
print('{{"keys":{{"encryption_key":"{KEY}","decryption_key":"{KEY}"}}}}')
"""
BLOCKS: Final = """key_provider "external" "keys" {
  command = COMMAND
}
method "aes_gcm" "main" {
  keys = key_provider.external.keys
}
state {
  method = method.aes_gcm.main
}
"""
METHOD: Final = """method "external" "main" {
  encrypt_command = COMMAND
  decrypt_command = COMMAND
}
state {
  method = method.external.main
}
"""


def module(folder: Path, blocks: str, more: str = "") -> None:
    folder.mkdir()
    (folder / "main.tf").write_text(f"terraform {{\n  encryption {{\n{blocks}  }}\n}}\n{more}")


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TF_ENCRYPTION", "STATETOOL_ALLOW_EXTERNAL"):
        monkeypatch.delenv(name, raising=False)
    (folder / "keys.py").write_text(GIVES_KEYS)
    command = json.dumps([sys.executable, "keys.py"])
    module(folder / "module", BLOCKS.replace("COMMAND", command))
    module(folder / "method", METHOD.replace("COMMAND", command))
    module(folder / "names", "", f"locals {{\n  command = {command}\n}}\n")
    (folder / "names" / "command.json").write_text(command)
    (folder / "file.hcl").write_text(BLOCKS.replace("COMMAND", command))
    (folder / "names.hcl").write_text(BLOCKS.replace("COMMAND", "local.command"))
    (folder / "reading.hcl").write_text(BLOCKS.replace("COMMAND", 'jsondecode(file("command.json"))'))
    (folder / "target.hcl").write_text("state {\n  method = method.aes_gcm.main\n}\n")
    (folder / "state").write_bytes(encrypted(REGIONS, "old"))
    (folder / "plain").write_bytes(REGIONS)
    (folder / "no-block").mkdir()
    (folder / "no-block" / "main.tf").write_text("locals {\n}\n")


REFUSED = [
    ("check --config module state", "key_provider.external.keys", r"module/main\.tf:4,"),
    ("check --config method state", "method.external.main", r"method/main\.tf:5,"),
    ("list --encryption-config module --state state", "key_provider.external.keys", r"module/main\.tf:4,"),
    ("encrypt --encryption-config module plain", "key_provider.external.keys", r"module/main\.tf:4,"),
    ("encryption-info --encryption-config method state", "method.external.main", r"method/main\.tf:5,"),
    ("reencrypt --check --encryption-config module state", "key_provider.external.keys", r"module/main\.tf:4,"),
    ("decrypt --encryption-config module state", "key_provider.external.keys", r"module/main\.tf:4,"),
    (
        "list --encryption target.hcl --encryption-config module --state state",
        "key_provider.external.keys",
        r"module/main\.tf:4,",
    ),
    # A file that the user named, and what it takes from the module.
    (
        "list --encryption names.hcl --encryption-config names --state state",
        "key_provider.external.keys",
        r"names\.hcl:2,",
    ),
    (
        "list --encryption reading.hcl --encryption-config names --state state",
        "key_provider.external.keys",
        r"reading\.hcl:2,",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("line", "block", "place"), REFUSED, ids=[case[0] for case in REFUSED])
def test_does_not_run(line: str, block: str, place: str, statetool: Statetool, folder: Path) -> None:
    result = statetool(*line.split())
    said = re.sub(r"\s+", " ", result.err)
    assert result.status == 2, result
    assert not (folder / "ran").exists()
    assert re.search(rf"{place}[0-9-]+: {re.escape(block)} needs to run the program {re.escape(sys.executable)}", said)
    assert "nothing was run" in said
    assert "--allow-external or STATETOOL_ALLOW_EXTERNAL=1" in said


@pytest.mark.parametrize("line", [case[0] for case in REFUSED if case[1].startswith("key") and "check" not in case[0]])
def test_runs_where_it_is_allowed(line: str, statetool: Statetool, folder: Path) -> None:
    result = statetool(*line.split(), "--allow-external")
    assert result.status == 0, result
    assert (folder / "ran").exists()


@pytest.mark.parametrize(("value", "status"), [("1", 0), ("", 2), ("0", 2), ("true", 2)])
def test_the_environment_allows_it(
    value: str, status: int, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATETOOL_ALLOW_EXTERNAL", value)
    assert statetool("list", "--encryption-config", "module", "--state", "state").status == status


@pytest.mark.parametrize("more", ["", "--encryption-config no-block", "--encryption-config module"])
def test_a_file_that_the_user_names_may_name_programs(more: str, statetool: Statetool, folder: Path) -> None:
    assert statetool("list", "--state", "state", "--encryption", "file.hcl", *more.split()).status == 0
    assert (folder / "ran").exists()


@pytest.mark.parametrize("more", ["", "--encryption-config no-block", "--encryption-config module"])
def test_so_may_the_environment(more: str, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", (folder / "file.hcl").read_text())
    assert statetool("list", "--state", "state", *more.split()).status == 0
    assert (folder / "ran").exists()


@pytest.mark.parametrize("line", ["list --state plain", "check plain --select STA001"])
def test_a_plain_state_needs_no_program(line: str, statetool: Statetool, folder: Path) -> None:
    result = statetool(*line.split(), "--encryption-config", "module")
    assert "program" not in result.err
    assert result.status == 0, result
    assert not (folder / "ran").exists()


def test_several_states_are_all_refused_by_processes_of_their_own(program: Program, folder: Path) -> None:
    for number in range(8):
        (folder / f"{number}.tfstate").write_bytes(encrypted(REGIONS, "old"))
    result = program("check", "--config", "module", ".")
    assert result.status == 2
    assert not (folder / "ran").exists()


def test_control_characters_in_the_name_of_a_program(statetool: Statetool, folder: Path) -> None:
    module(folder / "hostile", BLOCKS.replace("COMMAND", '["a\\u001b[2Jb\\n::error::c"]'))
    result = statetool("check", "--config", "hostile", "state")
    assert result.status == 2
    assert "\x1b" not in result.err
    assert "\n::error" not in result.err


# What must not be read for ever, or at all.
ENDLESS = ["/dev/zero", "/dev/tty", "endless", "fifo", "."]


@pytest.mark.parametrize("name", ENDLESS)
def test_an_encryption_file_that_never_ends(name: str, program: Program, folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    with (folder / "endless").open("wb") as file:
        file.truncate(1 << 40)
    result = program("list", "--state", "state", "--encryption", name)
    assert result.status == 2, result
    assert re.search(
        r"not a regular file|the limit is [\d,]+ bytes|without a writer|No such device", " ".join(result.err.split())
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
def test_an_encryption_file_that_is_a_pipe(folder: Path) -> None:
    (folder / "old.json").write_text(json.dumps(configuration("old")))
    for command, status in (("cat old.json", 0), ("yes", 2), ("sleep 0.3; cat old.json", 0)):
        line = f'"{PROGRAM}" list --state state --encryption <({command} 2>/dev/null)'
        done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, timeout=120, check=False)
        assert done.returncode == status, done


# Files of a module, of which somebody else may have made anything.
NAMES = ["terraform.tfvars", "x.auto.tfvars", "x.tf", ".terraform/environment", ".terraform/modules/modules.json"]


@pytest.mark.parametrize("kind", ["fifo", "zero"])
@pytest.mark.parametrize("name", NAMES)
def test_files_of_a_module_that_never_end(name: str, kind: str, program: Program, folder: Path) -> None:
    path = folder / "no-block" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    result = program("check", "--config", "no-block", "--no-state")
    assert result.status in (0, 1, 2)
    assert "Traceback" not in result.err
