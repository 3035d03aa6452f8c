"""Pairs the instances of blocks with the copies that were made of them for the way back from `for_each`."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from statefmt.analysis.adoption import adopt
from statefmt.analysis.adoption.model import AdoptedPair, Adoption, EvidenceKind, PairEvidence
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.configuration.unrolling import Unrolled
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.snapshot import Snapshot

_COPY = PairEvidence(EvidenceKind.GIVEN, "its copy of the block")


def adopt_copies(
    snapshot: Snapshot,
    new: ProviderReferences,
    old: ProviderReferences,
    made: Unrolled,
    given: Mapping[AbsResourceInstance, AbsResourceInstance],
) -> Adoption:
    """Like adopt(), for the configuration `new` that was made of `old`: each object belongs to the copy for its key.

    Raises SelectionError for a pair in `given` that is none, and for a copy that an object contradicts.
    """
    first = adopt(snapshot, new, old, given)
    undecided = [*(pair.source for pair in first.pairs), *(one.source for one in first.choices if one.candidates)]
    copies = {
        source.addr: copy
        for source in undecided
        if source.addr not in given and (copy := made.copy_of(source.addr, old.configuration)) != source.addr
    }
    found = adopt(snapshot, new, old, {**copies, **given})
    return replace(found, pairs=tuple(_shown(pair) if pair.source.addr in copies else pair for pair in found.pairs))


def _shown(pair: AdoptedPair) -> AdoptedPair:
    others = (one for one in pair.evidence if one.kind is not EvidenceKind.GIVEN)
    return replace(pair, evidence=(_COPY, *others))
