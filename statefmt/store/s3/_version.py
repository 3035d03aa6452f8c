"""The version of a state that was read, with what its object has beside its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """An ETag, with a version ID in versioned buckets.

    `kept` are the headers with which the next version is stored in the same way.
    """

    etag: str
    version_id: str
    kept: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
