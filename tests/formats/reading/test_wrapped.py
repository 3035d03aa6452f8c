"""Files that have a state in them, or stand in its place, are called what they are, and the state is taken out."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import zipfile
from pathlib import Path
from typing import Final

import pytest

from statefmt.formats.reading.damaged import description, has_parts, unwrapped, wrapping
from statefmt.formats.salvage import salvage
from tests.tables import each_row

STATE: Final = Path(__file__).parents[3].joinpath("samples/v4-exotic-numbers.tfstate").read_bytes()


def _zip(**files: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def _text64(data: bytes) -> str:
    return base64.b64encode(data).decode()


_SECRET: Final = {"apiVersion": "v1", "kind": "Secret", "data": {"tfstate": _text64(gzip.compress(STATE))}}
_CONSUL: Final = [{"LockIndex": 0, "Key": "a", "Value": _text64(STATE), "CreateIndex": 1, "ModifyIndex": 2}]


@each_row(
    ("data", "what"),
    [
        (gzip.compress(STATE), "a gzip file"),
        (bz2.compress(STATE), "a bzip2 file"),
        (lzma.compress(STATE), "an xz file"),
        (base64.b64encode(STATE), "base64"),
        (base64.encodebytes(STATE), "base64"),
        (base64.urlsafe_b64encode(gzip.compress(STATE)), "base64, then a gzip file"),
        (b'{"serial_number": 1, "state": ' + STATE + b"}", "a JSON document (`.state`)"),
        (json.dumps(STATE.decode()).encode(), "a JSON string"),
        (json.dumps({"data": {"data": {"state": STATE.decode()}}}).encode(), "a JSON document (`.data.data.state`)"),
        (json.dumps(_CONSUL).encode(), "an answer of Consul (`[0].Value`)"),
        (json.dumps(_SECRET).encode(), "a Kubernetes secret (`.data.tfstate`)"),
        (f"apiVersion: v1\ndata:\n  tfstate: {_text64(STATE)}\n".encode(), "a Kubernetes secret in YAML"),
        (_zip(tfplan=b"", tfstate=STATE), "a saved plan"),
        (_zip(**{"app/terraform.tfstate": STATE}), "a zip archive"),
        (b"%x\r\n%b\r\n0\r\n\r\n" % (len(STATE), STATE), "in the framing of a chunked upload"),
        (
            b"%x;chunk-signature=ab\r\n%b\r\n%x;chunk-signature=cd\r\n%b\r\n0;chunk-signature=ef\r\n\r\n"
            % (100, STATE[:100], len(STATE) - 100, STATE[100:]),
            "in the framing of a chunked upload",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_state_is_taken_out_with_its_bytes(data: bytes, what: str) -> None:
    content, layers = unwrapped(data)
    assert content.strip() == STATE.strip()
    assert layers
    assert description(data).startswith(f"The file is {what}, with a state in it.")
    assert has_parts(data)
    found = salvage(data)
    assert found.is_whole
    assert found.documents[0].raw.strip() == STATE.strip()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "`git lfs pull`"),
        (b"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "a web page without a state"),
        (b'<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>', "an error message of a store (NoSuchKey)"),
        (b'{"message":"401 Unauthorized"}', "an error message of a service"),
        (b'{"data":{"type":"state-versions","hosted-state-download-url":"https://x"}}', "hosted-state-download-url"),
        (b'{"version":"ENC[AES]","sops":{"a":1}}', "`sops --decrypt FILE`"),
        (b"\0GITCRYPT\0\0", "`git-crypt unlock`"),
        (b"-----BEGIN PGP MESSAGE-----\n", "`gpg --decrypt FILE`"),
        (b'# mine\nresource "a" "b" {\n}\n', "a configuration"),
        (b'{"ID":"1","Operation":"apply","Who":"me"}', "the information of a lock"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_has_no_state_is_named_with_the_way_to_one(data: bytes, words: str) -> None:
    assert words in description(data)
    assert unwrapped(data) == (data, ())
    assert not has_parts(data)


@pytest.mark.parametrize("data", [STATE, b"", b"no state", b'{"name": "x"}', b"[]", b"12", bytes(100), STATE[:-4]])
def test_other_files_are_left_alone(data: bytes) -> None:
    assert wrapping(data) is None
    assert description(data) == ""


@pytest.mark.parametrize("packed", [gzip.compress(STATE), json.dumps(STATE.decode()).encode(), base64.b64encode(STATE)])
def test_a_part_of_a_packed_state_is_never_whole(packed: bytes) -> None:
    # base64 may lack digits of the line feed at the end of the state.
    for cut in range(60, len(packed) - 4, 7):
        assert not salvage(packed[:cut]).is_whole
    assert not salvage(gzip.compress(STATE)[:-1]).is_whole


def test_a_chunk_that_was_cut_off_names_the_cause() -> None:
    framed = b"%x\r\n%b" % (len(STATE), STATE)
    cut = framed[: len(STATE)]
    found = salvage(cut)
    assert not found.is_whole
    assert found.lacks_end
    assert "skip_s3_checksum" in " ".join(found.advice)
    assert "skip_s3_checksum" in description(cut)
