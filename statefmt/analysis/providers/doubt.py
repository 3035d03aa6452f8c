"""Decides whether a missing declaration may be in a part of the configuration that could not be read."""

from __future__ import annotations

from typing import Final

from statefmt.configuration.model import Configuration
from statefmt.hcl.source.problem import ProblemKind
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import Module

UNREAD: Final = (ProblemKind.UNREADABLE, ProblemKind.SYNTAX)


def doubt(configuration: Configuration, module: Module) -> Unknown | None:
    """Return why a declaration in a module may exist unseen: it, a parent or a file of either could not be read."""
    for depth in range(len(module.names) + 1):
        on_the_way = Module(module.names[:depth])
        if on_the_way in configuration.missing:
            call = configuration.modules[on_the_way.parent()].declarations.calls.get(on_the_way.names[-1])
            return Unknown(f"{on_the_way} could not be read", call.range if call else None)
        here = configuration.modules.get(on_the_way)
        if here is None:
            return None
        for problem in configuration.problems:
            if problem.kind in UNREAD and (problem.range is None or problem.range.file in here.declarations.files):
                name = problem.range.file if problem.range else configuration.directory
                return Unknown(f"{name} could not be read")
    return None
