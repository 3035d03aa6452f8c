"""What an evaluation needs of its surroundings: the names that can be referred to, and where files are."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from statefmt.hcl.source.problem import ProblemKind, error
from statefmt.hcl.syntax.expressions import Access, Traversal
from statefmt.hcl.value import Part
from statefmt.hcl.values.refusal import as_unknown


class Names(Protocol):
    """The names that expressions see."""

    @property
    def directory(self) -> Path | None:
        """Where relative paths begin for functions that read files; None where functions may not be called."""
        ...

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """The value of the name that a reference begins with, and the steps that are left to take into it."""
        ...


class NoNames:
    """Where nothing can be referred to and no function called: defaults of variables, files of values."""

    directory: Path | None = None

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        detail = "Variables may not be used here."
        return as_unknown(error(ProblemKind.EVALUATION, "Variables not allowed", detail, reference.range)), ()
