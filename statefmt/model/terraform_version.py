"""Version strings as the state's `terraform_version` may hold them.

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
    """The canonical form (`v1.2` becomes `1.2.0`, `1.2.3-rc1` stays), or None where it is no version."""
    match = _VERSION.fullmatch(text)
    if match is None:
        return None
    # Zeros in front do not count; one digit more than the greatest number has says enough.
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
    """Whether that release may have written `depends_on` relative to the module: Terraform 0.12.0 to 0.12.13 did."""
    return version.startswith("0.12.")
