"""Fills what a damaged state lacks from its backups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from statefmt.formats.salvage.model import Doubt, FoundObject, Head, LostObject, ObjectKey, SalvagedDocument
from statefmt.model.errors import StoreError


class Backup(Struct, frozen=True):
    """A backup: the name for messages, and the state that it has, which is whole."""

    name: str
    document: SalvagedDocument


class Filled(Struct, frozen=True, kw_only=True):
    """What a state has after its backups were used.

    `taken` are the objects of the result, `uncertain` those that were left out, `missing` those that the file names and
    nothing has.
    """

    taken: tuple[FoundObject, ...]
    uncertain: tuple[FoundObject, ...]
    missing: tuple[LostObject, ...]


def refuse_other_states(document: SalvagedDocument, backups: Iterable[Backup]) -> None:
    """Raise StoreError if a backup has another lineage than the file or, if that has lost its own, than the others."""
    lineage = document.envelope.lineage
    for backup in backups:
        theirs = backup.document.envelope.lineage
        lineage = lineage or theirs
        if theirs != lineage:
            raise StoreError(
                f"{backup.name}: this is a backup of another state: its lineage is {theirs or 'missing'}, not {lineage}"
            )


def filled(document: SalvagedDocument, backups: Sequence[Backup], *, include_uncertain: bool = False) -> Filled:
    """Fill what is missing from backups of the same lineage; of each object, the one from the newest state counts.

    An object that only backups have is uncertain: it may have been destroyed since. One that the file still names, but
    does not have whole, is taken. Raises StoreError for a backup of another lineage.
    """
    refuse_other_states(document, backups)
    serial = document.envelope.serial
    newest_first = sorted(backups, key=lambda one: one.document.envelope.serial or 0, reverse=True)
    best: dict[ObjectKey, FoundObject] = {}
    newer: set[ObjectKey] = set()
    for backup in newest_first:
        for found in backup.document.certain:
            if found.key is None or found.key in best:
                continue
            best[found.key] = replace(found, source=backup.name)
            if serial is not None and (backup.document.envelope.serial or 0) > serial:
                newer.add(found.key)
    heads: dict[str, Head] = {}
    taken: dict[ObjectKey, FoundObject] = {}
    uncertain: list[FoundObject] = []
    named = {lost.key for lost in document.lost}
    for found in document.objects:
        if found.key is None or found.head is None:
            uncertain.append(found)
        elif found.doubt is None:
            heads.setdefault(found.key.resource, found.head)
            taken[found.key] = found
    for lost in document.lost:
        heads.setdefault(lost.key.resource, lost.head)
    doubtful = [found for found in document.objects if found.doubt is not None and found.key is not None]
    named |= {found.key for found in doubtful if found.key is not None and found.doubt is not Doubt.NESTED}
    for key, found in best.items():
        if key in taken and key not in newer:
            continue
        head = heads.get(key.resource)
        if head is not None and found.head is not None and head.provider != found.head.provider:
            if key not in taken:
                uncertain.append(replace(found, doubt=Doubt.PROVIDER))
        elif key in taken or key in named or include_uncertain:
            taken[key] = found
        else:
            uncertain.append(replace(found, doubt=Doubt.ONLY_IN_BACKUP))
    for found in doubtful:
        assert found.key is not None
        fits = found.head is not None and found.doubt not in (Doubt.PROVIDER, Doubt.SEAM)
        if found.key not in taken and include_uncertain and fits:
            taken[found.key] = found
        elif found.doubt is not Doubt.REPEATED:
            uncertain.append(found)
    missing = tuple(lost for lost in document.lost if lost.key not in taken)
    return Filled(taken=tuple(taken.values()), uncertain=tuple(uncertain), missing=missing)
