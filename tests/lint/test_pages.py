"""A rule is a file named after its code, with a page in four parts."""

from __future__ import annotations

import importlib
import pkgutil
import re
from types import ModuleType
from typing import Final

import pytest

import statefmt.lint.rules
from statefmt.lint.registry import all_pages, all_rules
from statefmt.model.codes import NO_STATE, Code
from statefmt.model.findings import Severity

_PARTS: Final = ["What it does", "Why is this bad?", "Example", "What to do"]
_MODULES: Final = [
    name
    for name in sorted(
        module.name
        for folder in pkgutil.iter_modules(statefmt.lint.rules.__path__)
        for module in pkgutil.iter_modules([f"{statefmt.lint.rules.__path__[0]}/{folder.name}"])
    )
    if re.match(r"[a-z]{3}[0-9]{3}", name)
]


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"statefmt.lint.rules.{name[:3]}.{name}")


@pytest.mark.parametrize("name", _MODULES)
def test_the_code_is_the_beginning_of_the_file_name(name: str) -> None:
    assert re.fullmatch(r"[a-z]{3}[0-9]{3}_[a-z0-9_]+", name)
    assert _module(name).RULE.code == name[:6].upper()


def test_the_reader_lowers_what_only_statetool_has() -> None:
    assert {code for code in Code if code.only_statetool} == {
        "STA009", "STA012", "STA013", "PRV005", "PRV006", "ADR005", "INS004"
    }  # fmt: skip
    for code in Code:
        noticed = code.notice("summary").severity
        assert (noticed is Severity.INFO) if code.only_statetool else (noticed is code.severity)


@pytest.mark.parametrize("name", _MODULES)
def test_the_page_has_four_parts(name: str) -> None:
    lines = (_module(name).__doc__ or "").strip().splitlines()
    assert lines[0].strip()
    assert not lines[0].endswith(".")
    assert lines[1] == ""
    assert [line.removeprefix("## ") for line in lines if line.startswith("## ")] == _PARTS
    page = all_pages()[name[:6].upper()]
    assert page.title == lines[0]
    parts = re.split(r"^## .*\n", page.text, flags=re.MULTILINE)[1:]
    assert all(part.strip() for part in parts)


def test_codes_are_unique() -> None:
    assert list(Code.__members__.values()) == list(Code)
    assert [code for code in Code if not re.fullmatch(r"[A-Z]{3}[0-9]{3}", code)] == []
    assert len({_module(name).RULE.code for name in _MODULES}) == len(_MODULES)


def test_names_are_unique_and_plain() -> None:
    names = [rule.name for rule in all_rules().values()]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []


def test_every_code_has_a_rule_and_every_rule_a_code() -> None:
    assert set(Code) == set(all_rules())


def test_every_rule_is_found_by_its_code() -> None:
    assert {code: rule.code for code, rule in all_rules().items()} == {
        name[:6].upper(): name[:6].upper() for name in _MODULES
    }
    assert list(all_pages()) == sorted(all_pages())


def test_no_state_codes_are_rules() -> None:
    assert set(all_rules()) >= NO_STATE
