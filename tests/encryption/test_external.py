"""Programs that give keys or encrypt, and programs that do not keep to the protocol."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from statefmt.encryption import SystemRandomness, decrypt, encrypt, encrypt_checked, parse_envelope
from statefmt.model.errors import EncryptionError
from tests.encryption.recorded import configured

PLAIN = b'{"version":4,"serial":1,"lineage":"l"}'
HEADER = '{"magic":"OpenTofu-External-Key-Provider","version":1}'
METHOD = '{"magic":"OpenTofu-External-Encryption-Method","version":1}'
KEY = "MDEyMzQ1Njc4OTAxMjM0NQ=="
SECRET = "a-secret-that-the-program-tells"
BOTH = f'{{"keys":{{"encryption_key":"{KEY}","decryption_key":"{KEY}"}}}}'


def said(*lines: str, status: int = 0) -> list[str]:
    """A program that says some lines whatever it is told."""
    return [sys.executable, "-c", f"import sys; sys.stdin.read(); print({chr(10).join(lines)!r}); sys.exit({status})"]


def with_keys(command: list[str]) -> dict[str, Any]:
    return {
        "key_provider": {"external": {"e": {"command": command}}},
        "method": {"aes_gcm": {"main": {"keys": "key_provider.external.e"}}},
        "state": {"method": "method.aes_gcm.main"},
    }


def with_method(encrypting: list[str], decrypting: list[str]) -> dict[str, Any]:
    return {
        "method": {"external": {"m": {"encrypt_command": encrypting, "decrypt_command": decrypting}}},
        "state": {"method": "method.external.m"},
    }


BROKEN = {
    "no such program": (["/nonexistent/program"], "cannot be run: No such file"),
    "exit status 3": (said(HEADER, BOTH, status=3), "failed with exit status 3"),
    "says nothing": ([sys.executable, "-c", ""], "the first line"),
    "another magic": (said(METHOD, BOTH), "the first line"),
    "another version": (said(HEADER.replace("1}", "2}"), BOTH), "the first line"),
    "no JSON": (said(HEADER, SECRET), "did not answer with keys"),
    "another member": (said(HEADER, BOTH[:-1] + f',"{SECRET}":1}}'), "did not answer with keys"),
    "key not base64": (said(HEADER, BOTH.replace(KEY, SECRET)), "did not answer with keys"),
    "no key": (said(HEADER, '{"keys":{}}'), "returned no encryption_key"),
    "key too short": (said(HEADER, BOTH.replace(KEY, "QQ==")), "the key has 1 bytes"),
    "metadata is a text": (said(HEADER, BOTH[:-1] + ',"meta":"x"}'), "did not answer with keys"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_refuses_a_program_that_gives_keys(name: str) -> None:
    command, reason = BROKEN[name]
    with pytest.raises(EncryptionError, match=reason) as caught:
        encrypt(PLAIN, configured(json.dumps(with_keys(command))), SystemRandomness())
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_program_may_give_no_metadata_at_all() -> None:
    own = configured(json.dumps(with_keys(said(HEADER, BOTH))))
    encrypted = encrypt(PLAIN, own, SystemRandomness())
    envelope = parse_envelope(encrypted)
    assert envelope is not None
    assert envelope.meta == {"key_provider.external.e": b'{"external_data":null}'}
    assert decrypt(encrypted, own).plain == PLAIN


def test_a_program_may_have_more_in_its_first_line() -> None:
    own = with_keys(said(HEADER[:-1] + ',"name":"mine"}', BOTH))
    encrypt_checked(PLAIN, configured(json.dumps(own)), SystemRandomness())


def test_what_cannot_be_read_again_is_not_written() -> None:
    """A program that encrypts, and one that gives another state back."""
    encrypting, decrypting = said(METHOD, '{"payload":"QUJD"}'), said(METHOD, '{"payload":"e30="}')
    own = configured(json.dumps(with_method(encrypting, decrypting)))
    assert encrypt(PLAIN, own, SystemRandomness())
    with pytest.raises(EncryptionError):
        encrypt_checked(PLAIN, own, SystemRandomness())


@pytest.mark.parametrize("answer", ["{}", '{"payload":"*"}', '{"payload":"QQ==","x":1}', SECRET, "[]"])
def test_refuses_a_program_that_encrypts(answer: str) -> None:
    own = configured(json.dumps(with_method(said(METHOD, answer), said(METHOD, answer))))
    with pytest.raises(EncryptionError, match=r"did not answer with a .payload.") as caught:
        encrypt(PLAIN, own, SystemRandomness())
    assert SECRET not in str(caught.value)


def test_what_a_program_says_on_standard_error_goes_there(capfd: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-c", f"import sys; sys.exit({SECRET!r})"]
    with pytest.raises(EncryptionError, match="exit status 1") as caught:
        encrypt(PLAIN, configured(json.dumps(with_keys(command))), SystemRandomness())
    assert capfd.readouterr().err == f"{SECRET}\n"
    assert SECRET not in str(caught.value)


def test_a_relative_program_is_looked_for_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "keys"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\necho '{HEADER}'\necho '{BOTH}'\n")
    program.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    own = configured(json.dumps(with_keys([f".{os.sep}keys"])))
    encrypt_checked(PLAIN, own, SystemRandomness())
