"""Commands that edit say so if the backend block has changed since `init`."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt import run_context
from statefmt.locations import current_state

# As Terraform 1.11 records it: all arguments, null without a value.
_RECORD = """{"version":3,"backend":{"type":"s3","hash":1,"config":{"bucket":"states","key":"a","region":"eu-west-1",
"encrypt":true,"max_retries":5,"profile":null,"endpoints":{"s3":"https://s3.example","sts":null},
"allowed_account_ids":["2","1"]}}}"""
_SAME = """bucket = "states"
key = "a"
encrypt = "true"
max_retries = 5
profile = null
endpoints = { s3 = "https://s3.example" }
allowed_account_ids = ["1", "2"]"""


def _notes(folder: Path, configuration: str, *, to_read: bool = False) -> list[str]:
    (folder / ".terraform").mkdir()
    (folder / ".terraform/terraform.tfstate").write_text(_RECORD)
    (folder / "main.tf").write_text(configuration)
    notes: list[str] = []
    name = current_state(run_context(note=notes.append), str(folder), to_read=to_read)
    assert name == "s3://states/a?region=eu-west-1"
    return notes


def _s3(body: str) -> str:
    return f'terraform {{\n  backend "s3" {{\n{body}\n}}\n}}\n'


@pytest.mark.parametrize("configuration", [_s3(""), _s3(_SAME), _s3("key = var.key"), "}", ""])
def test_unchanged_or_unknown(tmp_path: Path, configuration: str) -> None:
    assert _notes(tmp_path, configuration) == []


@pytest.mark.parametrize(
    ("configuration", "change"),
    [
        (_s3('key = "b"'), "main.tf:2: the backend block has another value of key than"),
        (_s3('key = "b"\nprofile = "ci"'), "main.tf:2: the backend block has another value of key and profile than"),
        (_s3('endpoints = { s3 = "https://x.example" }'), "has another value of endpoints.s3 than init recorded in"),
        (_s3("encrypt = false"), "another value of encrypt than"),
        (
            'terraform {\n  backend "pg" {}\n}\n',
            "main.tf:2: the configuration has the backend 'pg', unlike what init recorded",
        ),
    ],
)
def test_changed(tmp_path: Path, configuration: str, change: str) -> None:
    (note,) = _notes(tmp_path, configuration)
    assert change in note
    assert "run init first" in note


def test_reading_says_nothing(tmp_path: Path) -> None:
    assert _notes(tmp_path, _s3('key = "b"'), to_read=True) == []
