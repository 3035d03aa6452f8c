"""Defines the error for a part of a value that does not conform to its type."""

from __future__ import annotations

from statefmt.model.cty.errors import CtyValueError
from statefmt.model.cty.steps import Path, PathStep


class CtyPathError(CtyValueError):
    """A part of a value that does not conform to its type. `path` leads to the part."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        # From the inside out.
        self._steps: list[PathStep] = []

    @property
    def path(self) -> Path:
        return tuple(reversed(self._steps))

    @classmethod
    def within(cls, step: PathStep, error: CtyValueError) -> CtyPathError:
        """Return the error for the whole of which `error` concerns the part at `step`."""
        found = error if isinstance(error, cls) else cls(error.detail)
        found._steps.append(step)
        return found
