"""Builds the graph of an index: which states read the outputs of which, by their remote state references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.fleet.queries.run import query, typed_query
from statefmt.fleet.queries.saved import saved_query

_STATES: Final = "SELECT state_id, uri, n_resources, error FROM states ORDER BY uri"
_REFERENCES: Final = """
    SELECT uri, address, state_id, target_state_id, target_uri, backend
    FROM remote_refs JOIN states USING (state_id) ORDER BY uri, address
"""


class FleetNode(Struct, frozen=True):
    """A state: its place, whether the index has it, the number of its resources, and why it could not be read."""

    uri: str
    indexed: bool
    resources: int = 0
    error: str | None = None

    @property
    def is_lost(self) -> bool:
        """Whether it is not in the index, or could not be read."""
        return not self.indexed or self.error is not None


class FleetReference(Struct, frozen=True):
    """The references from one state to another, by state_id; `stale` says why one of them is stale."""

    source: str
    target: str
    addresses: Sequence[str]
    stale: str | None = None


class UnknownReference(Struct, frozen=True):
    """A reference whose arguments do not say where the state is."""

    source: str
    address: str
    backend: str | None


class FleetGraph(Struct, frozen=True):
    """The states by state_id, in the order of their URIs, with those that are only referred to at the end."""

    nodes: Mapping[str, FleetNode]
    references: Sequence[FleetReference]
    unknown: Sequence[UnknownReference]

    def joined(self) -> FleetGraph:
        """Return the graph without the states that read no other and are read by none."""
        kept = {state_id for one in self.references for state_id in (one.source, one.target)}
        kept.update(one.source for one in self.unknown)
        nodes = {state_id: node for state_id, node in self.nodes.items() if state_id in kept}
        return FleetGraph(nodes, self.references, self.unknown)


class _NodeRow(Struct, array_like=True, frozen=True, gc=False):
    state_id: str
    uri: str
    resources: int
    error: str | None


class _ReferenceRow(Struct, array_like=True, frozen=True, gc=False):
    uri: str
    address: str
    source: str
    target: str | None
    target_uri: str | None
    backend: str | None


def fleet_graph(path: Path) -> FleetGraph:
    """Return which states of an index read which. Raises FleetError."""
    nodes = {
        row.state_id: FleetNode(uri=row.uri, indexed=True, resources=row.resources, error=row.error)
        for row in typed_query(path, _STATES, _NodeRow)
    }
    stale = {(row[0], row[1]): row[4] for row in query(path, saved_query("stale-references").sql).rows}
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    reasons: dict[tuple[str, str], str] = {}
    unknown = []
    for row in typed_query(path, _REFERENCES, _ReferenceRow):
        if row.target is None or row.target_uri is None:
            unknown.append(UnknownReference(row.source, row.address, row.backend))
            continue
        nodes.setdefault(row.target, FleetNode(row.target_uri, False))
        pair = row.source, row.target
        found[pair].append(row.address)
        if (row.uri, row.address) in stale:
            reasons.setdefault(pair, stale[row.uri, row.address])
    references = [FleetReference(*pair, addresses, reasons.get(pair)) for pair, addresses in found.items()]
    return FleetGraph(nodes, references, unknown)
