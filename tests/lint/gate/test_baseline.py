"""Baselines that cannot be used: each problem with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from statefmt.lint.baseline import baseline_text, made_baseline, read_baseline
from statefmt.model.errors import SettingsError
from statefmt.model.findings import Code
from statefmt.schema_problems import schema_text

BAD = {
    "empty": ("", "not a baseline: Input data was truncated"),
    "another document": ("[]", "not a baseline: [] is not of type 'object'"),
    "no list": ('{"states": {"a.tfstate": "x"}}', "states.'a.tfstate': 'x' is not of type 'array'"),
    "no fingerprint": ('{"states": {"a": ["x", 1]}}', "states.a.1: 1 is not of type 'string'"),
    "a number out of range": ('{"states": {"a": [1e999]}}', "not a baseline: Number out of range"),
    "unknown member": ('{"more": 1}', "unknown key 'more'"),
    "not UTF-8": ('{"states": {"\udcff": []}}', "not a baseline"),
    "another format": ('{"format_version": "9.0"}', "unsupported baseline format 9.0"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_baselines(case: str, tmp_path: Path) -> None:
    text, said = BAD[case]
    path = tmp_path / "baseline.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SettingsError) as caught:
        read_baseline(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_what_is_written_fits_the_schema() -> None:
    document = json.loads(baseline_text(made_baseline([("a.tfstate", [Code.TAINTED.finding("x", address="a.b")])])))
    assert document["states"]["a.tfstate"]
    Draft202012Validator(json.loads(schema_text("baseline"))).validate(document)
