"""Version constraints: `~> 5.0`, `>= 1.2, < 2.0`. Source: hashicorp/go-version 1.8, `constraint.go`."""

from __future__ import annotations

import re
from typing import Final

from statefmt.model.terraform_version import normalise_version

_PART: Final = re.compile(r"\s*+(?:!=|>=|<=|~>|=|>|<|)\s*+(?P<version>\S++)\s*+", re.ASCII)


def is_range_of_versions(text: str) -> bool:
    """Whether a text is a version constraint."""
    found = (_PART.fullmatch(part) for part in text.split(","))
    return all(part is not None and normalise_version(part["version"]) is not None for part in found)
