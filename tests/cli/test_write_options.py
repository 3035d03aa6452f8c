"""Every command that writes a state has the same options for how that is done, and they do the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.cli.program import command_named
from statefmt.store.local.journal import checksum
from tests.cli.conftest import Statetool

GOOD = (Path(__file__).resolve().parents[2] / "samples" / "v4-resource-level.tfstate").read_bytes()
SHARED = {
    "--out", "--output", "-o", "--backup", "--no-backup", "--dry-run", "--lock", "--no-lock", "--lock-timeout",
    "--expect-serial", "--expect-hash", "--yes", "-y",
}  # fmt: skip
WRITING = [
    "mv", "rm", "rekey", "rebind", "replace-provider", "taint", "untaint", "forget-deposed", "set", "unset",
    "set-serial", "new-lineage", "repair", "undo", "restore", "fmt", "upgrade", "downgrade", "encrypt", "decrypt",
    "reencrypt",
]  # fmt: skip
# Each would change the state.
EDITS = [
    ["set-serial", "99", "--state"],
    ["fmt", "--style", "compact"],
    ["upgrade", "-i", "--style", "compact"],
    ["downgrade", "-i", "--for", "opentofu-1.8", "--style", "compact"],
    ["encrypt", "-i", "--encryption", "keys.hcl"],
]
KEYS = """
key_provider "pbkdf2" "p" {
  passphrase = "correct horse battery staple"
}
method "aes_gcm" "m" {
  keys = key_provider.pbkdf2.p
}
state {
  method = method.aes_gcm.m
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("state").write_bytes(GOOD)
    Path("keys.hcl").write_text(KEYS)
    return tmp_path


@pytest.mark.parametrize("name", WRITING)
def test_the_same_options(name: str) -> None:
    parameters = command_named(name).params
    options = {text for parameter in parameters for text in (*parameter.opts, *parameter.secondary_opts)}
    assert options >= SHARED


@pytest.mark.parametrize("edit", EDITS, ids=[edit[0] for edit in EDITS])
@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--dry-run"], 0, "dry run; nothing was written"),
        (["--expect-serial", "1"], 2, "the serial is 41, not 1"),
        (["--expect-hash", "0" * 64], 2, "the content differs from the expected one"),
    ],
)
def test_nothing_is_written(
    edit: list[str], options: list[str], status: int, said: str, folder: Path, statetool: Statetool
) -> None:
    result = statetool(*edit, "state", *options)
    assert (result.status, result.out if edit[0] != "set-serial" else b"") == (status, b"")
    assert said in " ".join(result.err.split())
    assert sorted(path.name for path in folder.iterdir()) == ["keys.hcl", "state"]
    assert Path("state").read_bytes() == GOOD


@pytest.mark.parametrize("edit", EDITS, ids=[edit[0] for edit in EDITS])
def test_backup_and_conditions_that_hold(edit: list[str], statetool: Statetool) -> None:
    result = statetool(
        *edit, "state", "--backup", "kept", "--no-lock", "--expect-serial", "41", "--expect-hash", checksum(GOOD)
    )
    assert result.status == 0, result.err
    assert Path("kept").read_bytes() == GOOD
    assert Path("state").read_bytes() != GOOD
    assert statetool("undo", "--state", "state").status == (2 if edit[0] == "encrypt" else 0)
