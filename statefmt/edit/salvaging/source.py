"""Reads a damaged file, and its backups, as far as they are states of format version 4."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from statefmt.context import RunContext
from statefmt.edit.session import loaded
from statefmt.edit.stores import store_at
from statefmt.formats.reading.inspect import CURRENT_VERSION, inspect
from statefmt.formats.salvage.fill import Backup
from statefmt.formats.salvage.model import Salvage, SalvagedDocument
from statefmt.formats.salvage.salvage import salvage, sides
from statefmt.model.codes import Code
from statefmt.model.errors import StoreError
from statefmt.model.wording import Wording
from statefmt.sealed import Seal, opened
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name
from statefmt.text.shell import shell_word

# A side of a merge in git.
ConflictSide: TypeAlias = Literal["ours", "theirs"]
_SIDE: Final = Wording("--side ours or --side theirs", 'side="ours" or side="theirs"')


class DamagedFile(NamedTuple):
    """What was found in a file; `document` is its newest state, `others` are older ones of the same lineage.

    `seal` is set if the file is encrypted. `side` is the side of the conflict that was taken.
    """

    found: Salvage
    document: SalvagedDocument
    others: tuple[SalvagedDocument, ...] = ()
    seal: Seal | None = None
    side: ConflictSide | None = None


def read_anything(context: RunContext, name: str) -> bytes:
    """Read a file, a state in a backend, a version in git or standard input, whatever it contains."""
    return store_at(context, name).read().data if name.startswith(GIT) else context.read(name)


def restoring(name: str) -> str:
    """Return the command that puts a backup in the place of a state; one in git or standard input has no place."""
    has_place = name != STANDARD_INPUT and not name.startswith(GIT)
    return f"`statetool restore BACKUP{f' --state {shell_word(name)}' if has_place else ''}`"


def damaged_file(context: RunContext, name: str, data: bytes, side: ConflictSide | None = None) -> DamagedFile | None:
    """Return what is whole in the bytes of a file, None if nothing in it is part of a state.

    Raises StoreError if that cannot be salvaged, StateError or EncryptionError if it is encrypted.
    """
    where = display_name(name)
    context.phase("salvaging")
    both = sides(data)
    if both is None:
        side = None
    elif side is None:
        raise StoreError(f"{where}: this file has conflict markers; choose a side with ", _SIDE)
    else:
        data = both.ours if side == "ours" else both.theirs
    found, seal = _unsealed(context, name, salvage(data))
    if not found.documents:
        return None
    for one in found.documents:
        _refuse_version(where, one)
    lineages = {one.envelope.lineage: None for one in found.documents if one.envelope.lineage}
    if len(lineages) > 1:
        raise StoreError(
            f"{where}: this file has parts of different states, with the lineages {' and '.join(lineages)}; "
            "split it into one file for each"
        )
    newest = max(found.documents, key=lambda one: (one.envelope.serial or 0, one.is_whole))
    others = tuple(one for one in found.documents if one is not newest)
    return DamagedFile(found, newest, others, seal, side)


def opened_backup(
    context: RunContext, name: str, data: bytes, *, may_be_damaged: bool = False
) -> tuple[Backup, Seal | None]:
    """Return the state in the bytes of a backup, or what is whole in it if it may be damaged.

    Raises StoreError if it must not be or nothing is whole, and what damaged_file() raises.
    """
    where = display_name(name)
    found, seal = _unsealed(context, name, salvage(data))
    if not found.documents:
        raise StoreError(f"{where}: this backup is not a state, and has no part of one")
    if len(found.documents) > 1:
        raise StoreError(f"{where}: this backup is damaged itself: it has parts of {len(found.documents)} states")
    if not found.documents[0].is_whole and not may_be_damaged:
        raise StoreError(f"{where}: this backup is damaged itself; name it to use what is whole in it")
    _refuse_version(where, found.documents[0])
    return Backup(where, found.documents[0]), seal


def _unsealed(context: RunContext, name: str, found: Salvage) -> tuple[Salvage, Seal | None]:
    """Decrypt what was found if it is an encrypted state."""
    if not any(one.envelope.is_encrypted for one in found.documents):
        return found, None
    where = display_name(name)
    text = found.text
    if not any(finding.code == Code.ENCRYPTED for finding in inspect(text).findings):
        raise StoreError(
            f"{where}: this state is encrypted and damaged; no part of it can be decrypted without the rest. "
            f"{restoring(name)} puts a backup in its place"
        )
    opening = opened(context, name, text)
    configuration = None if opening is None else context.configuration()
    if opening is None or configuration is None:
        loaded(context, name, text)
        raise AssertionError("an encrypted state was loaded without its configuration")
    return salvage(opening.plain), Seal(text, opening, configuration)


def _refuse_version(where: str, document: SalvagedDocument) -> None:
    version = document.envelope.version
    if version in (None, CURRENT_VERSION):
        return
    raise StoreError(
        f"{where}: this state has format version {version}; only states of version {CURRENT_VERSION} can be salvaged"
    )
