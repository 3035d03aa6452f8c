"""Wildcards, where they could take more than linear time: each of these would take longer than the universe is old."""

from __future__ import annotations

from statefmt.configuration import LoadOptions, load, root_scope
from statefmt.hcl.value import to_plain
from statefmt.lint.settings import Settings
from statefmt.text import asterisk_test, wildcard_test


def test_many_asterisks() -> None:
    text = "a" * 3000
    assert not asterisk_test("*a" * 30 + "*b")(text)
    assert not wildcard_test("*a" * 30 + "*b")(text)
    assert asterisk_test("*a" * 30 + "*")(text)


def test_only_asterisks_are_special() -> None:
    assert asterisk_test('t.a["*"]')('t.a["x[?]"]')
    assert asterisk_test("a?[b]\\*")("a?[b]\\ and\nmore")
    assert not asterisk_test("a?")("ab")
    assert not asterisk_test("a")("ab")


def test_settings() -> None:
    settings = Settings(per_address_ignores={"*a" * 30 + "*b": ("INS005",), "a*": ("INS006",)})
    assert settings.ignored_at("a" * 3000) == ("INS006",)


def test_expressions_of_configurations(tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    (tmp_path / "main.tf").write_text(
        "locals {\n"
        f'  hit  = can(regex("^(a+)+$", "{"a" * 5000}"))\n'
        f'  miss = can(regex("^(a+)+$", "{"a" * 5000}!"))\n'
        f'  swap = replace("{"a" * 5000}!", "/(a|aa)+$/", "x")\n'
        "}\n"
    )
    scope = root_scope(load(tmp_path, LoadOptions()))
    assert [to_plain(scope.local(name)) for name in ("hit", "miss")] == [True, False]
    assert to_plain(scope.local("swap")) == "a" * 5000 + "!"
