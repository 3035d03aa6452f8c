"""What a rule is, and how all of them are found.

A rule is a module of this package named after its code (`prv001_…`), with a constant `RULE`. Its docstring is
its page: the first line is the title, then `## What it does`, `## Why is this bad?`, `## Example` and
`## What to do`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from statefmt.codes import Code
from statefmt.diagnostics import Finding, Fix, Severity
from statefmt.pattern import pattern
from statefmt.rules.subject import Subject

if TYPE_CHECKING:
    # Most runs have no configuration, and load nothing of this.
    from statefmt.config.provider_references import ProviderReferences

_RULE_MODULE = pattern(r"[a-z]{3}[0-9]{3}_[a-z0-9_]+")


def found_while_reading(subject: Subject) -> Iterable[Finding]:
    """The check of a rule whose findings the reader itself makes."""
    return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its stable code, which has its name and severity, and what finds it.

    `check` yields findings that reading the file did not make; their severity is set to the rule's. Their pointers
    lead into the v4 document, which is the file itself only where that has version 4, or, where `reads_file`, into
    the file of whatever version. `fix` says what to do about a finding that the reader made and that does not say so.
    `check_configuration` looks at a configuration alone, without any state.
    """

    code: Code
    check: Callable[[Subject], Iterable[Finding]] = found_while_reading
    reads_file: bool = False
    fix: Callable[[Subject], Fix] | None = None
    check_configuration: Callable[[ProviderReferences], Iterable[Finding]] | None = None

    @property
    def name(self) -> str:
        """`provider-missing`."""
        return self.code.slug

    @property
    def severity(self) -> Severity:
        """How bad its findings are."""
        return self.code.severity


@dataclass(frozen=True, slots=True)
class Page:
    """A rule with its documentation page: title and text (markdown)."""

    rule: Rule
    title: str
    text: str


@cache
def all_pages() -> Mapping[str, Page]:
    """Every rule with its page, by code and in the order of the codes."""
    return MappingProxyType({module.RULE.code: _page(module) for module in _rule_modules()})


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by its code, in the order of the codes."""
    return MappingProxyType({module.RULE.code: module.RULE for module in _rule_modules()})


@cache
def state_rules() -> Mapping[str, Rule]:
    """The rules that need no configuration, by code; the others, and what reads configurations, are not loaded."""
    modules = _rule_modules(but=("cfg", "cfs"))
    return MappingProxyType({module.RULE.code: module.RULE for module in modules})


@cache
def all_codes() -> tuple[str, ...]:
    """The codes of all rules, in their order, without loading any."""
    return tuple(name[:6].upper() for name in _module_names())


def _rule_modules(but: tuple[str, ...] = ()) -> Iterator[Any]:
    for name in _module_names():
        if not name.startswith(but):
            yield importlib.import_module(f"statefmt.rules.{name}")


def _module_names() -> list[str]:
    import statefmt.rules as package

    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    return sorted(name for name in names if _RULE_MODULE.fullmatch(name))


def _page(module: Any) -> Page:
    title, _, text = cleandoc(module.__doc__ or "").partition("\n")
    return Page(module.RULE, title, text.strip())
