"""Finds the rules by the names of their modules, and imports them on demand."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, Final

from statefmt.lint.rule import Rule
from statefmt.text.pattern import pattern

# What the rules with a prefix compare a state with.
_NEEDED: Final = {"cfg": "configuration", "cfs": "configuration", "lif": "an apply", "pln": "a plan", "sch": "schemas"}
_RULE_MODULE = pattern(r"[a-z]{3}[0-9]{3}_[a-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Page:
    """A rule with its documentation page: title and Markdown text."""

    rule: Rule
    title: str
    text: str


@cache
def all_pages() -> Mapping[str, Page]:
    """Return every rule with its page, by code and in the order of the codes."""
    return MappingProxyType({module.RULE.code: _page(module) for module in _rule_modules()})


@cache
def all_rules() -> Mapping[str, Rule]:
    """Return every rule by code, in the order of the codes."""
    return MappingProxyType({module.RULE.code: module.RULE for module in _rule_modules()})


@cache
def rules_for(inputs: frozenset[str] = frozenset()) -> Mapping[str, Rule]:
    """Return the rules that need a state and nothing but `inputs`, by code, without loading the others.

    `inputs` are `configuration`, `schemas`, `a plan` and `an apply`.
    """
    missing = tuple(prefix for prefix, needed in _NEEDED.items() if needed not in inputs)
    return MappingProxyType({module.RULE.code: module.RULE for module in _rule_modules(but=missing)})


@cache
def all_codes() -> tuple[str, ...]:
    """Return the codes of all rules in order, without loading any rule."""
    return tuple(name[:6].upper() for name in _module_names())


def _rule_modules(but: tuple[str, ...] = ()) -> Iterator[Any]:
    for name in _module_names():
        if not name.startswith(but):
            yield importlib.import_module(f"statefmt.lint.rules.{name[:3]}.{name}")


def _module_names() -> list[str]:
    import statefmt.lint.rules as package

    folders = [f"{package.__path__[0]}/{folder.name}" for folder in pkgutil.iter_modules(package.__path__)]
    names = (module.name for module in pkgutil.iter_modules(folders))
    return sorted(name for name in names if _RULE_MODULE.fullmatch(name))


def _page(module: Any) -> Page:
    title, _, text = cleandoc(module.__doc__ or "").partition("\n")
    mend = module.RULE.mend
    return Page(module.RULE, title, text.strip() if mend is None else f"{text.strip()}\n\n{mend.sentence}")
