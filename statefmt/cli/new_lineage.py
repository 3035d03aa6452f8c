"""`statetool new-lineage`: a copy of a state made a state of its own."""

from __future__ import annotations

from uuid import uuid4

from statefmt.cli.surgery import Plan, surgery
from statefmt.states import Snapshot
from statefmt.surgery.edit import Edit
from statefmt.surgery.envelope import new_lineage


@surgery
def command() -> Plan:
    """Give a state a new lineage, so that no backend takes it for a later one of another."""
    lineage = uuid4()

    def operation(snapshot: Snapshot) -> Edit:
        return new_lineage(snapshot, lineage)

    return Plan("new-lineage", operation)
