"""The version of a state that was read, with what its object has beside its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """An ETag, with a version ID in versioned buckets.

    `kept` are the properties of the object that a new version must have too, as arguments of PutObject; `tags` is the
    number of its tags.
    """

    etag: str
    version_id: str
    kept: Mapping[str, object] = field(default_factory=dict, compare=False, repr=False)
    tags: int = field(default=0, compare=False, repr=False)
