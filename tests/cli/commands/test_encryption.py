"""`encryption-info`, `encrypt`, `decrypt`, `reencrypt`, and all other commands on encrypted states."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from jsonschema import Draft202012Validator

from statefmt.encryption import Envelope, EnvelopeLayout, write_envelope
from statefmt.schema_problems import schema_text
from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import INDENTED, SAMPLES
from tests.cli.terminal import on_terminal
from tests.encryption.recorded import RECORDS

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
PASSPHRASE = "correct-horse-battery-staple"


_NO_IDENTITY = b'{"serial":null,"lineage":"",'


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TF_ENCRYPTION", "TF_VAR_passphrase"):
        monkeypatch.delenv(name, raising=False)
    (folder / "plain").write_bytes(REGIONS)
    (folder / "old").write_bytes(encrypted(REGIONS, "old"))
    (folder / "new").write_bytes(encrypted(REGIONS, "new"))
    (folder / "indented").write_bytes(encrypted(REGIONS, "new", layout=EnvelopeLayout.INDENTED))
    data = AESGCM(bytes(range(1, 33))).encrypt(bytes(12), b"PK\x03\x04 and so on", None)
    (folder / "plan").write_bytes(write_envelope(Envelope(None, "", {}, bytes(12) + data)).replace(_NO_IDENTITY, b"{"))
    (folder / "weak").write_text(RECORDS["ok-meta-1-iteration"]["encrypted"])
    (folder / "later").write_bytes((folder / "new").read_bytes().replace(b'"v0"', b'"v1"'))
    (folder / "changed").write_bytes((folder / "new").read_bytes().replace(b'"serial":58', b'"serial":59'))
    for names in (("old",), ("new",), ("new", "old"), ("new", "old", "plain"), ("plain", "new"), ("plain",)):
        (folder / ("-".join(names) + ".json")).write_text(json.dumps(configuration(*names)))
    (folder / "broken.json").write_text('{"state": {"method": "method.a.b"}}')
    (folder / "hcl").write_text("state {\n  method = method.a.b\n}\n")


# What is run, the exit status, what standard output matches, what standard error matches.
CASES = [
    ("encryption-info new", 0, r"\Anew: an encrypted state\n  serial    58\n[^\x00]*None of this is auth", ""),
    ("encryption-info new --encryption new-old.json", 0, r"Read by method.aes_gcm.new, the first method", ""),
    ("encryption-info old --encryption new-old.json", 0, r"Read by method.aes_gcm.old, which is a fallback", ""),
    ("encryption-info plain", 0, r"\Aplain: a plain state, not encrypted\n\Z", ""),
    ("encryption-info plain --encryption new.json", 2, "", r"plain: this state is not encrypted, and the conf"),
    ("encryption-info old --encryption new.json", 2, "", r"old: no method of the configuration can read"),
    ("encryption-info changed", 0, r"serial    59", ""),
    ("encryption-info changed --encryption new.json", 2, "", r"changed: the serial on the envelope differs"),
    ("encryption-info new.json", 2, "", r"this state cannot be used"),
    ("encryption-info missing", 2, "", r"missing: there is no such file"),
    ("encryption-info new --encryption missing.json", 2, "", r"missing.json: there is no such file"),
    ("encryption-info new --encryption broken.json", 2, "", r"state: there is no block method.a.b"),
    ("encryption-info new --encryption hcl", 2, "", r"state: there is no block method.a.b"),
    ("encryption-info new --encryption -", 2, "", r"must be a file, not standard input"),
    ("decrypt new", 2, "", r"no encryption configuration: use"),
    ("decrypt plain --encryption new.json", 2, "", r"plain: this state is not encrypted"),
    ("decrypt changed --encryption new.json", 2, "", r"changed: the serial on the envelope"),
    ("decrypt old --encryption new.json -i", 2, "", r"no method of the configuration can read"),
    ("decrypt new --encryption new.json -o plain", 2, "", r"plain: the file already exists"),
    ("encrypt new --encryption new.json", 2, "", r"new: this state is already encrypted"),
    ("encrypt plain --encryption plain-new.json", 2, "", r"nothing would be encrypted"),
    ("encrypt new.json --encryption new.json", 2, "", r"this state cannot be used"),
    ("reencrypt --check new --encryption new-old.json", 0, r"\A\Z", r"\A\Z"),
    ("reencrypt --check old new plain --encryption new-old-plain.json", 1, r"\Aold\nplain\n\Z", r"\A\Z"),
    ("reencrypt --check old new plain --encryption new-old.json", 2, r"\Aold\n\Z", r"plain: this state is not enc"),
    ("reencrypt --check new -i --encryption new.json", 2, "", r"cannot be combined with --in-place"),
    ("reencrypt --check new --discard-plain --encryption new.json", 2, "", r"requires --in-place"),
    ("encrypt plain -o out --discard-plain --encryption new.json", 2, "", r"requires --in-place"),
    ("reencrypt old -i --format json --encryption new-old.json", 2, "", r"requires --check"),
    ("reencrypt old new --encryption new-old.json", 2, "", r"several states require --in-place or --check"),
    ("reencrypt new -i --encryption new.json", 0, r"\A\Z", r"new: already uses method.aes_gcm.new, .*nothing was w"),
    ("list --state new", 2, "", r"This state is encrypted \(serial 58"),
    ("list --state new --encryption new.json", 0, r"\Adata.aws_caller_identity.current\n", r"\A\Z"),
    ("list --state old --encryption new.json", 2, "", r"old: no method of the configuration can read"),
    ("list --state plain --encryption new.json", 0, r"\Adata.aws_caller_identity.current\n", r"\A\Z"),
    ("list --state plain --encryption missing.json", 2, "", r"missing.json: there is no such file"),
    ("check new --encryption new.json", 0, r"1 state checked: 1 warning", r"\A\Z"),
    ("list --state plan --encryption new.json", 2, "", r"plan: this is a plan file, not a state; `tofu show` reads it"),
    ("decrypt plan --encryption new.json", 2, "", r"plan: this is a plan file, not a state; `tofu show` reads it"),
    ("encryption-info plan", 0, r"neither serial nor lineage: it may be an encrypted plan", ""),
    ("encryption-info plan --encryption new.json", 2, "", r"plan: this is a plan file"),
    ("check plan --encryption new.json", 2, r"STA001  plan:1:1", r"\A\Z"),
    ("check changed --encryption new.json", 1, r"ENC001  changed:1:1\n  Envelope of another state", r"\A\Z"),
    ("check old --encryption new-old.json --select ENC", 0, r"ENC004 .*\n.* with method.aes_gcm.old", r"\A\Z"),
    ("check old --encryption new.json", 2, r"\A\Z", r"old: no method of the configuration can read"),
    ("check plain --encryption new.json --select ENC", 0, r"ENC005 .*\n[^\x00]*statetool encrypt --in-place", r"\A\Z"),
    ("check plain --encryption plain-new.json --select ENC", 0, r"\A1 state checked: no findings", r"\A\Z"),
    ("check weak", 2, r"ENC003 .*\n.*key_provider.pbkdf2.main is derived with an[^\x00]*STA003", r"\A\Z"),
    ("check weak --select ENC003", 2, r"ENC003[^\x00]*STA003", r"\A\Z"),
    ("check later", 2, r"ENC007 .*\n  Unsupported envelope version[^\x00]*STA003", r"\A\Z"),
    ("check plain new --encryption broken.json", 2, r"1 state checked", r"state: there is no block method.a.b"),
    ("check later --encryption new.json", 2, r"\A\Z", r"later: the envelope has version v1"),
    ("diff new plain --encryption new.json", 0, r"", r"\A\Z"),
    ("mv aws_vpc.main aws_vpc.net --state changed --encryption new.json", 2, "", r"changed: the serial"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "status", "out", "err"), CASES, ids=[case[0] for case in CASES])
def test_runs(
    line: str, status: int, out: str, err: str, statetool: Statetool, tree: Callable[[], dict[str, bytes]]
) -> None:
    before = tree()
    result = statetool(*line.split())
    assert result.status == status, result
    assert re.search(out, result.text), result
    assert re.search(err, re.sub(r"\s+", " ", result.err) if err != r"\A\Z" else result.err), result
    assert tree() == before


@pytest.mark.parametrize("line", ["encrypt plain", "decrypt old", "reencrypt old"])
def test_only_printed(line: str, statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    """Without --in-place and --out, the file stays, and the message says so."""
    before = tree()
    result = statetool(*line.split(), "--encryption", "new-old.json")
    assert result.status == 0
    assert result.out
    said = f"printed to standard output; {line.split()[1]} was not written; add --in-place to write the result to it"
    assert said in result.err.replace("\n  ", " ")
    assert tree() == before


def test_there_and_back(statetool: Statetool, folder: Path) -> None:
    assert statetool("encrypt", "plain", "-o", "out", "--encryption", "new.json").status == 0
    assert (folder / "out").stat().st_mode & 0o777 == 0o600
    assert b"aws_vpc" not in (folder / "out").read_bytes()
    assert statetool("decrypt", "out", "--encryption", "new.json").out == REGIONS


def test_in_place(statetool: Statetool, folder: Path) -> None:
    result = statetool("encrypt", "plain", "-i", "--encryption", "new.json")
    assert result.status == 0
    assert "the history (.plain.statetool) are in plain text. Delete both" in re.sub(r"\s+", " ", result.err)
    assert b"aws_vpc" not in (folder / "plain").read_bytes()
    assert statetool("decrypt", "-i", "plain", "--encryption", "new.json").status == 0
    assert (folder / "plain").read_bytes() == REGIONS


PLAIN_COPIES = ["encrypt plain -i --encryption new.json", "reencrypt plain -i --encryption new-old-plain.json"]


@pytest.mark.parametrize("line", PLAIN_COPIES)
def test_plain_copies_are_told_of(line: str, statetool: Statetool, folder: Path) -> None:
    (folder / "plain.backup").write_bytes(REGIONS)
    (folder / "plain.123.backup").write_bytes(encrypted(REGIONS, "new"))
    result = statetool(*line.split())
    said = re.sub(r"\s+", " ", result.err)
    assert result.status == 0
    assert "kept in plain." in said
    assert "That copy and the history (.plain.statetool) are in plain text" in said
    assert said.endswith("Plain copies of earlier edits remain: plain.backup. ")


NO_PLAIN_COPIES = [
    "reencrypt old -i --encryption new-old-plain.json",
    "reencrypt old -i --discard-plain --encryption new-old-plain.json",
    "reencrypt new -i --encryption plain-new.json",
    "reencrypt plain -o out --encryption new-old-plain.json",
    "decrypt new -i --encryption new.json",
]


@pytest.mark.parametrize("line", NO_PLAIN_COPIES)
def test_nothing_is_said_or_deleted_where_no_copy_is_plain(line: str, statetool: Statetool, folder: Path) -> None:
    name = line.split()[1]
    result = statetool(*line.split())
    assert result.status == 0
    assert "in plain text" not in result.err
    assert "-o" in line or len(list(folder.glob(f"{name}.*.backup"))) == 1


CHECKED = [
    ("new", True, {"method": "method.aes_gcm.new", "fallback": False}),
    ("old", True, {"method": "method.aes_gcm.old", "fallback": True}),
    ("plain", False, {"method": "method.unencrypted.plain", "fallback": True}),
]


def test_reencrypt_check_for_programs(statetool: Statetool) -> None:
    names = [case[0] for case in CHECKED]
    line = ["reencrypt", "--check", "--format", "json", "--encryption", "new-old-plain.json"]
    result = statetool(*line, *names)
    assert result.status == 1
    document = json.loads(result.out)
    assert document["states"] == [
        {"state": name, "encrypted": is_encrypted, "read_by": read_by, "error": None}
        for name, is_encrypted, read_by in CHECKED
    ]
    Draft202012Validator(json.loads(schema_text("reencrypt-output"))).validate(document)
    result = statetool(*line, "new", "changed", "missing")
    assert result.status == 2
    document = json.loads(result.out)
    Draft202012Validator(json.loads(schema_text("reencrypt-output"))).validate(document)
    assert [state["read_by"] and state["read_by"]["method"] for state in document["states"]] == [
        "method.aes_gcm.new", None, None,
    ]  # fmt: skip
    assert [state["error"] and state["error"][:9] for state in document["states"]] == [None, "changed: ", "missing: "]


def test_reencrypt_keeps_what_it_says_and_the_layout(statetool: Statetool, folder: Path) -> None:
    (folder / "indented").write_bytes(encrypted(REGIONS, "old", layout=EnvelopeLayout.INDENTED))
    result = statetool("reencrypt", "old", "indented", "plain", "-i", "--encryption", "new-old-plain.json")
    assert result.status == 0, result
    for name in ("old", "indented", "plain"):
        assert statetool("decrypt", name, "--encryption", "new.json").out == REGIONS
    assert (folder / "indented").read_bytes().startswith(b'{\n  "serial": 58,\n')
    assert statetool("reencrypt", "--check", "old", "indented", "plain", "--encryption", "new.json").status == 0


def test_reencrypt_to_plain(statetool: Statetool, folder: Path) -> None:
    assert statetool("reencrypt", "new", "-i", "--encryption", "plain-new.json").status == 0
    assert (folder / "new").read_bytes() == REGIONS


def test_reencrypt_anew(statetool: Statetool, folder: Path) -> None:
    before = (folder / "new").read_bytes()
    assert statetool("reencrypt", "new", "-i", "--anew", "--encryption", "new.json").status == 0
    assert (folder / "new").read_bytes() != before
    assert statetool("decrypt", "new", "--encryption", "new.json").out == REGIONS


def test_configuration_of_the_environment(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is used without being asked for, and a file goes over it."""
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("old")))
    assert statetool("decrypt", "old").out == REGIONS
    assert statetool("list", "--state", "old").status == 0
    assert statetool("list", "--state", "new").status == 2
    assert statetool("list", "--state", "new", "--encryption", "new.json").status == 0


def test_passphrase_of_the_environment(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "c.json").write_text(json.dumps({
        "key_provider": {"pbkdf2": {"p": {"passphrase": "${var.passphrase}", "iterations": 200000}}},
        "method": {"aes_gcm": {"m": {"keys": "${key_provider.pbkdf2.p}"}}},
        "state": {"method": "method.aes_gcm.m"},
    }))  # fmt: skip
    assert "set TF_VAR_passphrase or use a variable file (--var-file)" in re.sub(
        r"\s+", " ", statetool("encrypt", "plain", "--encryption", "c.json").err
    )
    monkeypatch.setenv("TF_VAR_passphrase", PASSPHRASE)
    result = statetool("encrypt", "plain", "-i", "--encryption", "c.json")
    assert result.status == 0
    assert PASSPHRASE not in result.err
    assert statetool("decrypt", "plain", "--encryption", "c.json").out == REGIONS
    monkeypatch.setenv("TF_VAR_passphrase", PASSPHRASE[:-1])
    result = statetool("decrypt", "plain", "--encryption", "c.json")
    assert result.status == 2
    assert PASSPHRASE[:-1] not in result.err


def test_standard_input(program: Program) -> None:
    done = program.in_shell(
        "statetool decrypt - --encryption new.json < new | statetool encrypt - --encryption old.json"
    )
    assert done.status == 0
    again = program("decrypt", "-", "--encryption", "old.json", stdin=done.out)
    assert again.out == REGIONS


def test_a_terminal_is_not_shown_secrets(program: Program) -> None:
    shown = on_terminal(program, "statetool decrypt new --encryption new.json")
    assert shown.status == 2
    assert "refusing to print the secrets of a state to the terminal" in shown.text
    assert '"aws_vpc"' not in shown.text
    assert '"aws_vpc"' in on_terminal(program, "statetool decrypt new --encryption new.json --yes").text
    shown = on_terminal(program, "statetool reencrypt new --encryption plain-new.json")
    assert shown.status == 2
    assert '"aws_vpc"' not in shown.text


def test_control_characters(statetool: Statetool, folder: Path) -> None:
    envelope = json.loads((folder / "new").read_bytes())
    meta = {"a\x1b[2J": "QQ==", "b": "e30="}
    (folder / "new").write_text(json.dumps({**envelope, "lineage": "l\x1b[2J", "meta": meta}))
    for result in (statetool("encryption-info", "new"), statetool("decrypt", "new", "--encryption", "old.json")):
        assert "\x1b" not in result.text + result.err
        assert "\\x1b[2J" in result.text + result.err


def test_the_commands_of_a_plain_state_import_no_cryptography(program: Program, folder: Path) -> None:
    (folder / "empty").write_bytes(INDENTED)
    done = program.in_shell("PYTHONPROFILEIMPORTTIME=1 statetool list --state empty --encryption new.json")
    assert done.status == 0
    assert "statefmt.sealed" in done.err
    assert "cryptography" not in done.err


def test_the_configuration_that_a_refusal_shows(
    statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it prints is enough to encrypt."""
    (folder / "plain").write_bytes((SAMPLES / "v4-empty.tfstate").read_bytes())
    refused = statetool("encrypt", "-i", "plain")
    assert refused.status == 2
    (folder / "encryption.hcl").write_text(refused.err[refused.err.index("  key_provider ") :])
    monkeypatch.setenv("TF_VAR_passphrase", "correct horse battery")
    assert statetool("encrypt", "-i", "plain", "--encryption", "encryption.hcl").status == 0
    assert b"encrypted_data" in (folder / "plain").read_bytes()
