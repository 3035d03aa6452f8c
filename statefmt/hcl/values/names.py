"""The scope of an evaluation: names, and the directory of relative paths."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from statefmt.hcl.source.problem import ProblemKind, error
from statefmt.hcl.syntax.expressions import Access, Traversal
from statefmt.hcl.value import Part
from statefmt.hcl.values.refusal import as_unknown


class Names(Protocol):
    """The names that expressions can refer to."""

    @property
    def directory(self) -> Path | None:
        """The base of relative paths for functions that read files; None if functions may not be called."""
        ...

    @property
    def is_confined(self) -> bool:
        """Whether functions that read anything outside of the text, such as files, have no value."""
        ...

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """Return the value of the name that a reference starts with, and the steps left to take into it."""
        ...


class NoNames:
    """A scope without names and functions: for defaults of variables and variable definition files."""

    directory: Path | None = None
    is_confined = False

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        detail = "Variables may not be used here."
        return as_unknown(error(ProblemKind.EVALUATION, "Variables not allowed", detail, reference.range)), ()
