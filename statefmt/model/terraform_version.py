"""Parses the version strings allowed in a state's `terraform_version`.

Source: hashicorp/go-version 1.8 (`version.go`), which OpenTofu and Terraform both use.
"""

from __future__ import annotations

import re
from functools import lru_cache

from statefmt.text.pattern import pattern

_PARTS = r"[0-9A-Za-z\-~]*+(?:\.[0-9A-Za-z\-~]++)*+"
_VERSION = pattern(
    rf"v?(?P<segments>[0-9]++(?:\.[0-9]++)*+)"
    rf"(?:-(?P<numeric_pre>[0-9]{_PARTS})|-?(?P<pre>[A-Za-z\-~]{_PARTS}))?"
    rf"(?:\+(?P<metadata>[0-9A-Za-z\-~]{_PARTS}))?",
    re.ASCII,
)
_INT64_MAX = 2**63 - 1


@lru_cache(maxsize=256)
def normalise_version(text: str) -> str | None:
    """Return the canonical form (`v1.2` becomes `1.2.0`, `1.2.3-rc1` stays), or None if it is not a version."""
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    # Drop leading zeros, and keep just enough digits to exceed the maximum.
    segments = [int(part.lstrip("0")[:20] or "0") for part in match["segments"].split(".")]
    if max(segments) > _INT64_MAX:
        return None
    segments += [0] * (3 - len(segments))
    version = ".".join(str(segment) for segment in segments)
    prerelease = match["pre"] or match["numeric_pre"]
    if prerelease:
        version += f"-{prerelease}"
    if match["metadata"]:
        version += f"+{match['metadata']}"
    return version


def depends_on_is_relative(version: str) -> bool:
    """Return whether that release may have written module-relative `depends_on`: Terraform 0.12.0 to 0.12.13 did."""
    return version.startswith("0.12.")
