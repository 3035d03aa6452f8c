"""Whether something that a configuration does not have may be in what could not be read of it."""

from __future__ import annotations

from typing import Final

from statefmt.configuration.model import Configuration
from statefmt.hcl.source.problem import ProblemKind
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import Module

UNREAD: Final = (ProblemKind.UNREADABLE, ProblemKind.SYNTAX)


def doubt(configuration: Configuration, module: Module) -> Unknown | None:
    """Why it is not sure that something is missing in a module: it, one around it, or a file of it was not read."""
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
