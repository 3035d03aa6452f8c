"""What an operation gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from statefmt.addrs import AbsResourceInstance
from statefmt.states import Snapshot


@dataclass(frozen=True, slots=True)
class Edit:
    """A snapshot after an operation, which did not touch its serial.

    `moved` tells where instances went, `notes` what the operator should know in sentences.
    """

    snapshot: Snapshot
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
