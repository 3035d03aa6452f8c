"""Finds the rules in the folder `rules/`, and imports them on demand."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from inspect import cleandoc
from types import MappingProxyType, ModuleType
from typing import Final

from msgspec import Struct

from statefmt.lint.rule import Rule

# The further input, besides the state, that the rules with a prefix need.
_NEEDED: Final = {"cfg": "configuration", "cfs": "configuration", "lif": "an apply", "pln": "a plan", "sch": "schemas"}


class Page(Struct, frozen=True):
    """A rule with its documentation page: title and Markdown text."""

    rule: Rule
    title: str
    text: str


@cache
def all_pages() -> Mapping[str, Page]:
    """Return every rule with its page, by code and in the order of the codes."""
    return MappingProxyType({rule.code: _page(rule, text) for rule, text in _rules()})


@cache
def all_rules() -> Mapping[str, Rule]:
    """Return every rule by code, in the order of the codes."""
    return MappingProxyType({rule.code: rule for rule, _ in _rules()})


@cache
def rules_for(inputs: frozenset[str] = frozenset()) -> Mapping[str, Rule]:
    """Return the rules that need only a state and `inputs`, by code, without loading the others.

    `inputs` are `configuration`, `schemas`, `a plan` and `an apply`.
    """
    missing = tuple(prefix for prefix, needed in _NEEDED.items() if needed not in inputs)
    return MappingProxyType({rule.code: rule for rule, _ in _rules(but=missing)})


def _rules(but: Collection[str] = ()) -> list[tuple[Rule, str]]:
    """Return the rules with their pages, in the order of the codes, except rules with the given prefixes."""
    found: list[tuple[Rule, str]] = []
    for module in _modules(but):
        found += [(rule, rule.page) for rule in getattr(module, "RULES", ())]
        if hasattr(module, "RULE"):
            found.append((module.RULE, module.__doc__ or ""))
    return sorted(found, key=lambda each: each[0].code)


def _modules(but: Collection[str]) -> Iterator[ModuleType]:
    """Yield the module of each prefix and, if it is a package, the modules in it."""
    import statefmt.lint.rules as package

    for prefix in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if prefix.name.rpartition(".")[2] in but:
            continue
        module = importlib.import_module(prefix.name)
        yield module
        if prefix.ispkg:
            for each in pkgutil.iter_modules(module.__path__, f"{prefix.name}."):
                yield importlib.import_module(each.name)


def _page(rule: Rule, page: str) -> Page:
    title, _, text = cleandoc(page).partition("\n")
    return Page(rule, title, text.strip() if rule.mend is None else f"{text.strip()}\n\n{rule.mend.sentence}")
