"""Parses the lists of sensitive paths that tests give."""

from __future__ import annotations

from statefmt.model.cty import CtyValueError
from statefmt.model.cty.data import Path
from statefmt.model.cty.paths import decode_paths


def parse_paths(raw: bytes) -> tuple[Path, ...]:
    """Parse a path list. Raises CtyValueError with the detail of the first problem."""
    paths, problems = decode_paths(raw)
    if problems:
        raise CtyValueError(problems[0].detail)
    return paths
