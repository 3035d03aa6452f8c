"""`statetool rule`: the list, one page, and what is not there."""

from __future__ import annotations

import json

import pytest

from statefmt.cli.main import main


def test_lists_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:2] == ["PRV005", "error"] for line in lines)
    assert lines == sorted(lines)


@pytest.mark.parametrize("name", ["PRV005", "prv005", "provider-keys-differ"])
def test_explains_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith("PRV005 provider-keys-differ (error)")
    for heading in ("What it does", "Why is this bad?", "Example", "What to do"):
        assert f"\n{heading}\n" in out


def test_a_beginning_lists_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "OUT"]) == 0
    assert {line.split()[0][:3] for line in capsys.readouterr().out.splitlines()} == {"OUT"}


def test_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "NOPE"]) == 2
    assert "NOPE" in capsys.readouterr().err


def test_json_has_the_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "PRV005", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (rule,) = document["rules"]
    assert document["format_version"] == "1.0"
    assert (rule["code"], rule["name"], rule["severity"]) == ("PRV005", "provider-keys-differ", "error")
    assert "## What to do" in rule["page"]
