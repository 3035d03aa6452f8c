"""A rule is in the module of its code or of its prefix, with a page in four parts."""

from __future__ import annotations

import importlib
import pkgutil
import re
from inspect import cleandoc
from typing import Final

import statefmt.lint.rules
from statefmt.lint.registry import all_pages, all_rules
from statefmt.model.findings import NO_STATE, Code, Severity
from tests.tables import each_row

_PARTS: Final = ["What it does", "Why is this bad?", "Example", "What to do"]
_MODULES: Final = [
    module.name.removeprefix("statefmt.lint.rules.")
    for module in pkgutil.walk_packages(statefmt.lint.rules.__path__, "statefmt.lint.rules.")
]
# The code and the page of each rule in a module.
_PAGES: Final = [
    (name, str(rule.code), page)
    for name in _MODULES
    if (module := importlib.import_module(f"statefmt.lint.rules.{name}"))
    for rule, page in [
        *((rule, rule.page) for rule in getattr(module, "RULES", ())),
        *([(module.RULE, module.__doc__ or "")] if hasattr(module, "RULE") else []),
    ]
]


@each_row(("name", "code", "page"), _PAGES)
def test_the_module_is_named_after_the_code_or_its_prefix(name: str, code: str, page: str) -> None:
    prefix = code[:3].lower()
    assert name == prefix or re.fullmatch(rf"{prefix}\.{code.lower()}_[a-z0-9_]+", name)


def test_every_module_has_rules_but_those_of_prefixes_may_have_none() -> None:
    assert [name for name in _MODULES if "." in name and name not in {each[0] for each in _PAGES}] == []


def test_the_reader_lowers_what_only_statetool_has() -> None:
    assert {code for code in Code if code.only_statetool} == {
        "STA009", "STA012", "STA013", "PRV005", "PRV006", "ADR005", "INS004"
    }  # fmt: skip
    for code in Code:
        noticed = code.notice("summary").severity
        assert (noticed is Severity.INFO) if code.only_statetool else (noticed is code.severity)


@each_row(("name", "code", "page"), _PAGES)
def test_the_page_has_four_parts(name: str, code: str, page: str) -> None:
    lines = cleandoc(page).splitlines()
    assert lines[0].strip()
    assert not lines[0].endswith(".")
    assert lines[1] == ""
    assert [line.removeprefix("## ") for line in lines if line.startswith("## ")] == _PARTS
    shown = all_pages()[code]
    assert shown.title == lines[0]
    parts = re.split(r"^## .*\n", shown.text, flags=re.MULTILINE)[1:]
    assert all(part.strip() for part in parts)


def test_codes_are_unique() -> None:
    assert list(Code.__members__.values()) == list(Code)
    assert [code for code in Code if not re.fullmatch(r"[A-Z]{3}[0-9]{3}", code)] == []
    assert len({code for _, code, _ in _PAGES}) == len(_PAGES)


def test_names_are_unique_and_plain() -> None:
    names = [rule.name for rule in all_rules().values()]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []


def test_every_code_has_a_rule_and_every_rule_a_code() -> None:
    assert set(Code) == set(all_rules())


def test_every_rule_is_found_by_its_code() -> None:
    assert {code: rule.code for code, rule in all_rules().items()} == {code: code for _, code, _ in _PAGES}
    assert list(all_pages()) == sorted(all_pages())


def test_no_state_codes_are_rules() -> None:
    assert set(all_rules()) >= NO_STATE
