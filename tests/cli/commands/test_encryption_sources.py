"""Where a run has its encryption configuration from: --encryption over TF_ENCRYPTION over --encryption-config."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from statefmt.cli.names import COMMANDS
from statefmt.cli.program import command_named, declaration
from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
SECRET = "planted7f3a-passphrase"
BY_PASSPHRASE = """terraform {
  encryption {
    key_provider "pbkdf2" "main" {
      passphrase = local.phrase
      iterations = var.iterations
      hash_function = "sha256"
    }
    method "aes_gcm" "main" {
      keys = key_provider.pbkdf2.main
    }
    state {
      method = method.aes_gcm.main
    }
  }
}
variable "phrase" {
  sensitive = true
}
variable "iterations" {
  type    = number
  default = 200000
}
locals {
  phrase = trimspace(var.phrase)
}
"""


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TF_ENCRYPTION", "TF_VAR_phrase"):
        monkeypatch.delenv(name, raising=False)
    (folder / "plain").write_bytes(REGIONS)
    for name in ("old", "new"):
        (folder / f"state-{name}").write_bytes(encrypted(REGIONS, name))
        module = folder / f"module-{name}"
        module.mkdir()
        (module / "main.tf.json").write_text(json.dumps({"terraform": {"encryption": configuration(name)}}))
        (folder / f"{name}.json").write_text(json.dumps(configuration(name)))
    (folder / "by-passphrase").mkdir()
    (folder / "by-passphrase" / "main.tf").write_text(BY_PASSPHRASE)
    (folder / "no-block").mkdir()
    (folder / "no-block" / "main.tf").write_text("locals {\n  a = 1\n}\n")
    (folder / "values").write_text(f'phrase = "{SECRET}"\n')
    (folder / "state.hcl").write_text("state {\n  method = method.aes_gcm.new\n}\n")


# What is run with TF_ENCRYPTION, and which of the two states it can read.
SOURCES = [
    ("", "--encryption-config module-old", "old"),
    ("", "--encryption-config module-new", "new"),
    ("", "--encryption-config module-old --encryption new.json", "new"),
    ("new", "--encryption-config module-old", "new"),
    ("old", "--encryption-config module-new", "old"),
    ("old", "--encryption new.json", "new"),
    ("new", "--encryption old.json --encryption-config module-new", "old"),
    ("old", "", "old"),
    ("old", "--encryption state.hcl", "new"),
    ("", "--encryption-config module-old --encryption state.hcl", "new"),
    ("old", "--encryption state.hcl --encryption-config no-block", "new"),
    (" \n", "--encryption-config module-new", "new"),
]


@pytest.mark.parametrize(("environment", "options", "readable"), SOURCES)
def test_which_one_counts(
    environment: str, options: str, readable: str, statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = json.dumps(configuration(environment)) if environment.strip() else environment
    monkeypatch.setenv("TF_ENCRYPTION", given)
    for name in ("old", "new"):
        result = statetool("list", "--state", f"state-{name}", *options.split())
        assert result.status == (0 if name == readable else 2), result


def test_the_environment_in_hcl(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", "\n  # to the new key\n  state {\n    method = method.aes_gcm.new\n  }\n")
    assert statetool("list", "--state", "state-new", "--encryption-config", "module-old").status == 0
    monkeypatch.setenv("TF_ENCRYPTION", "state {\n  method = method.aes_gcm.other\n}")
    result = statetool("list", "--state", "state-new", "--encryption-config", "module-old")
    assert "there is no block method.aes_gcm.other" in re.sub(r"\s+", " ", result.err)


# What is run, the exit status, and what standard error matches.
CASES = [
    ("list --state plain --encryption-config no-block", 0, r"\A\Z"),
    ("list --state plain --encryption-config by-passphrase", 0, r"\A\Z"),
    ("check plain --config by-passphrase", 1, r"\A\Z"),
    ("list --state state-new --encryption-config no-block", 2, r"no-block: the module has no encryption block"),
    ("check state-new --config no-block", 2, r"no-block: the module has no encryption block in a terraform block"),
    ("list --state plain --encryption-config nowhere", 2, r"nowhere: not a directory; name the directory of the root"),
    ("list --state plain --encryption-config values", 2, r"values: not a directory; name the directory of the root"),
    ("list --state plain --var-file values", 2, r"--var-file: requires a configuration"),
    ("check plain --var a=b", 2, r"--var: requires a configuration"),
    (f"list --state plain --encryption-config module-new --var {SECRET}", 2, r"--var: must be NAME=VALUE"),
    (f"check plain --config module-new --var {SECRET}", 2, r"--var: must be NAME=VALUE"),
    ("list --state plain --encryption-config module-new --var-file nowhere", 0, r"\A\Z"),
    ("list --state state-new --encryption-config module-new --var-file nowhere", 2, r"nowhere could not be read"),
    ("encrypt plain --encryption-config no-block", 2, r"no-block: the module has no encryption block"),
    ("encrypt plain --encryption-config by-passphrase", 2, r"var\.phrase has no value: .*see by-passphrase/main.tf:16"),
    (f"encrypt plain --encryption-config by-passphrase --var phrase={SECRET}", 2, r"var\.phrase comes from --var"),
    ("encrypt plain --encryption-config by-passphrase --var-file values", 0, r"encrypted"),
    (
        "encrypt plain --encryption-config by-passphrase --var-file values --var iterations=7",
        2,
        r"at least 200,000 \(by.*:5,7",
    ),
    ("encryption-info state-new --encryption-config module-new", 0, r"\A\Z"),
    ("reencrypt --check state-new --encryption-config module-new", 0, r"\A\Z"),
    ("decrypt state-new --encryption-config module-new", 0, r""),
    ("providers state-new --config module-new", 1, r""),
    ("rule PRV001 --config module-new", 2, r"No such option: --config"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "status", "err"), CASES, ids=[case[0].replace(SECRET, "SECRET") for case in CASES])
def test_runs(line: str, status: int, err: str, statetool: Statetool) -> None:
    result = statetool(*line.split())
    assert result.status == status, result
    assert re.search(err, re.sub(r"\s+", " ", result.err) if err != r"\A\Z" else result.err), result
    assert SECRET not in result.err


def test_the_configuration_stands_as_one_option_of_every_command_that_reads_states() -> None:
    for name in COMMANDS:
        names = [option for parameter in command_named(name).params for option in parameter.opts]
        wanted = 1 if declaration(name).decrypts else 0
        for option in ("--encryption", "--encryption-config", "--var", "--var-file"):
            assert names.count(option) == wanted, (name, option)
        # Configurations of backends name programs, too.
        assert names.count("--allow-external") == (wanted or "--allow-host" in names), name


def test_a_passphrase_of_a_module(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_VAR_phrase", f" {SECRET}\n")
    for line in (
        "encrypt plain -i",
        "mv --state plain aws_vpc.main aws_vpc.net",
        "rm --state plain aws_vpc.net -y",
        "undo plain -y",
        "check plain",
        "history plain",
    ):
        result = statetool(
            *line.split(), *(() if line.startswith("history") else ("--encryption-config", "by-passphrase"))
        )
        assert result.status == 0, result
        assert SECRET not in result.text + result.err
    assert b"encrypted_data" in (folder / "plain").read_bytes()
    for path in folder.rglob("*"):
        assert not path.is_file() or path.name == "values" or SECRET.encode() not in path.read_bytes(), path


def test_a_value_of_the_command_line_is_in_no_history(
    statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_VAR_phrase", SECRET)
    common = ("--encryption-config", "by-passphrase", "--var", f"other={SECRET}", f"--var=third={SECRET}")
    assert statetool("encrypt", "plain", "-i", *common).status == 0
    result = statetool("mv", "--state", "plain", "aws_vpc.main", "aws_vpc.net", *common)
    assert result.status == 0, result
    shown = statetool("history", "plain").text
    assert "--var 'other=…' '--var=third=…'" in re.sub(r"\s+", " ", shown)
    for path in folder.rglob("*"):
        assert not path.is_file() or path.name == "values" or SECRET.encode() not in path.read_bytes(), path


def test_a_pipe_from_the_shell(program: Program) -> None:
    """A passphrase that stands in no file: what a shell gives in place of one."""
    done = program.in_shell(
        "exec bash -c 'statetool encrypt plain -i --encryption-config by-passphrase "
        f'--var-file <(printf "phrase = \\"%s\\"\\n" {SECRET})\''
    )
    assert done.status == 0, done
    again = program(
        "list", "--state", "plain", "--encryption-config", "by-passphrase", environment={"TF_VAR_phrase": SECRET}
    )
    assert again.status == 0


def test_names_with_control_characters(statetool: Statetool, folder: Path) -> None:
    (folder / "a\x1b[2J").mkdir()
    (folder / "a\x1b[2J" / "b\x1b[2J.tf").write_text('terraform {\n  encryption {\n    "\x1b[2J"\n  }\n}\n')
    for arguments in (
        ("--encryption-config", "a\x1b[2J"),
        ("--encryption", "a\x1b[2J/b\x1b[2J.tf"),
        ("--encryption", "new.json", "--var-file", "no\x1b[2J"),
    ):
        result = statetool("list", "--state", "state-new", *arguments)
        assert result.status == 2
        assert "\x1b" not in result.err
        assert "\\x1b[2J" in result.err


def test_a_plain_state_reads_no_configuration(program: Program) -> None:
    done = program.in_shell("PYTHONPROFILEIMPORTTIME=1 statetool list --state plain --encryption-config by-passphrase")
    assert done.status == 0
    assert not re.search(r"cryptography|tree_sitter|statefmt\.config\b", done.err)


def test_only_hcl_takes_its_parser(program: Program) -> None:
    """As --encryption-config does for JSON with nothing but texts, such as keys."""
    done = program.in_shell("PYTHONPROFILEIMPORTTIME=1 statetool list --state state-new --encryption new.json")
    assert done.status == 0
    assert "cryptography" in done.err
    assert "tree_sitter" not in done.err


def test_an_edit_of_a_plain_state_is_taken_back_without_a_configuration(statetool: Statetool, folder: Path) -> None:
    options = ("--encryption-config", "no-block")
    assert statetool("mv", "--state", "plain", "aws_vpc.main", "aws_vpc.net", *options).status == 0
    assert statetool("undo", "plain", "-y", *options).status == 0
    assert statetool("list", "--state", "plain", "aws_vpc.main").status == 0
