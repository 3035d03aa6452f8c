"""The variables of the environment that a migration file may read, as `env.NAME`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from statefmt.hcl.source import ProblemKind, error
from statefmt.hcl.syntax import Access, AttributeAccess, Traversal
from statefmt.hcl.value import Part, as_unknown, text

# Others may be secrets, which a repository must not put into the location of a state.
_PREFIX: Final = "TFMIGRATE_"
_OTHERS: Final = ("TF_WORKSPACE",)


class EnvironmentNames:
    """A scope with `env` only, and without functions."""

    directory: Path | None = None

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Read the variables of `environment`."""
        self._environment = environment

    @property
    def is_confined(self) -> bool:
        return True

    def resolve(self, reference: Traversal) -> tuple[Part, tuple[Access, ...]]:
        """Return the value of a variable. Others than those for tfmigrate are unknown."""
        first, *rest = reference.steps or (None,)
        if reference.root != "env" or not isinstance(first, AttributeAccess):
            return _refused(reference, "There are no other names")
        if not (first.name.startswith(_PREFIX) or first.name in _OTHERS):
            detail = f"Only variables whose names start with {_PREFIX} are read; write the value of {first.name}"
            return _refused(reference, detail)
        value = self._environment.get(first.name)
        if value is None:
            return _refused(reference, f"The environment has no {first.name}")
        return text(value), tuple(rest)


def _refused(reference: Traversal, detail: str) -> tuple[Part, tuple[Access, ...]]:
    return as_unknown(error(ProblemKind.EVALUATION, "Invalid reference", detail, reference.range)), ()
