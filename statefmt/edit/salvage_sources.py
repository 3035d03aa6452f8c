"""Reads the sources of a salvage, a damaged file and its backups, as far as they are states in format 4."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from statefmt.context import RunContext
from statefmt.edit.session import history_at, loaded, store_at
from statefmt.formats.raw_json.slips import Slip, mended
from statefmt.formats.reading import CURRENT_VERSION, inspect
from statefmt.formats.salvage import Backup, salvage, sides
from statefmt.formats.salvage.model import Salvage, SalvagedDocument
from statefmt.model.errors import StoreError, Wording
from statefmt.model.findings import Code
from statefmt.sealed import Seal, opened
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.local.history import backups, own_backup
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name
from statefmt.text import printable, shell_word

# A side of a merge in git.
ConflictSide: TypeAlias = Literal["ours", "theirs"]
_SIDE: Final = Wording("--side ours or --side theirs", 'side="ours" or side="theirs"')
_DOCUMENT: Final = Wording("--document N", "document=N")
# Of the objects that differ between two states.
_MOST_NAMED: Final = 5


class DamagedFile(NamedTuple):
    """The states in a file; `document` is its newest state, `others` are older ones of the same lineage.

    `seal` is set if the file is encrypted. `side` is the chosen side of a conflict. `slips` are the repaired slips of a
    hand edit; the states are from the repaired text.
    """

    found: Salvage
    document: SalvagedDocument
    others: tuple[SalvagedDocument, ...] = ()
    seal: Seal | None = None
    side: ConflictSide | None = None
    slips: tuple[Slip, ...] = ()


def read_anything(context: RunContext, name: str) -> bytes:
    """Read a file, a state in a backend, a version in git or standard input, whatever its content."""
    return store_at(context, name).read().data if name.startswith(GIT) else context.read(name)


def restoring(name: str) -> str:
    """Return the command that restores a backup in place of a state; "" for git and standard input."""
    has_place = name != STANDARD_INPUT and not name.startswith(GIT)
    return f"`statetool restore BACKUP{f' --state {shell_word(name)}' if has_place else ''}`"


def damaged_file(
    context: RunContext, name: str, data: bytes, side: ConflictSide | None = None, document: int | None = None
) -> DamagedFile | None:
    """Return the whole parts of a file; None if it has no part of a state.

    `document` is the number of the chosen state, from 1, if the file has several. Raises StoreError if nothing can be
    salvaged, or a side or a state has to be chosen; StateError or EncryptionError if the file is encrypted.
    """
    where = display_name(name)
    context.phase("salvaging")
    both = sides(data)
    if both is None:
        side = None
    elif side is None:
        choices = {"ours": _read(salvage(both.ours))[0], "theirs": _read(salvage(both.theirs))[0]}
        states = {name: newest(one.documents) for name, one in choices.items() if one.documents}
        raise StoreError(f"{where}: this file has conflict markers; choose a side with ", _SIDE, _compared(states))
    else:
        data = both.ours if side == "ours" else both.theirs
    found, seal = _unsealed(context, name, salvage(data))
    found, slips = _read(found)
    if not found.documents:
        return None
    taken = _chosen(where, found, document)
    _refuse_version(where, taken)
    lineage = taken.envelope.lineage
    others = tuple(one for one in found.documents if one is not taken and one.envelope.lineage in (lineage, None))
    for one in others:
        _refuse_version(where, one)
    return DamagedFile(found, taken, others, seal, side, slips)


def _read(found: Salvage) -> tuple[Salvage, tuple[Slip, ...]]:
    """Repair the slips of a hand edit, if the result is one whole state."""
    fixed = None if found.is_whole else mended(found.text)
    again = None if fixed is None else salvage(fixed.text)
    if fixed is None or again is None or not again.is_whole:
        return found, ()
    return replace(again, undone=(*found.undone, *again.undone)), fixed.slips


def newest(documents: Sequence[SalvagedDocument]) -> SalvagedDocument:
    """Return the state with the highest serial; whole states take precedence."""
    return max(documents, key=lambda one: (one.envelope.serial or 0, one.is_whole))


def _chosen(where: str, found: Salvage, document: int | None) -> SalvagedDocument:
    """Return the chosen state. Raises StoreError if two states rank equally, or are unrelated."""
    documents = found.documents
    if document is not None:
        if not 1 <= document <= len(documents):
            raise StoreError(f"{where}: this file has no state number {document}; the last one is {len(documents)}")
        return documents[document - 1]
    lines = found.lines(one.start for one in documents)
    named = {f"{number} (line {lines[one.start]:,})": one for number, one in enumerate(documents, 1)}
    if len({one.envelope.lineage for one in documents if one.envelope.lineage}) > 1:
        raise StoreError(
            f"{where}: this file has parts of different states; choose one with ", _DOCUMENT, _compared(named)
        )
    best = newest(documents)
    rivals = [one for one in documents if one.is_whole and one.envelope.serial == best.envelope.serial]
    if best.is_whole and len({one.raw.strip() for one in rivals}) > 1:
        several = {key: one for key, one in named.items() if one in rivals}
        text = f"{where}: this file has {len(several)} states with serial {best.envelope.serial} and different content"
        raise StoreError(f"{text}; choose one with ", _DOCUMENT, _compared(several))
    return best


def _compared(states: Mapping[str, SalvagedDocument]) -> str:
    """Return a line for each state of a choice, and lines for the objects that differ between two states."""
    lines = [":", *(f"  {name}: {_described(one)}" for name, one in states.items())]
    if len(states) == 2:
        (first, one), (second, other) = states.items()
        mine, theirs = ({str(each.key): each.raw for each in state.objects} for state in (one, other))
        for title, keys in (
            (f"only in {first}", mine.keys() - theirs.keys()),
            (f"only in {second}", theirs.keys() - mine.keys()),
            ("different", {key for key in mine.keys() & theirs.keys() if mine[key] != theirs[key]}),
        ):
            if keys:
                shown = ", ".join(printable(key) for key in sorted(keys)[:_MOST_NAMED])
                more = f" and {len(keys) - _MOST_NAMED:,} more" if len(keys) > _MOST_NAMED else ""
                lines.append(f"  {title}: {shown}{more}")
    return "\n".join(lines)


def _described(document: SalvagedDocument) -> str:
    envelope = document.envelope
    serial = "serial unknown" if envelope.serial is None else f"serial {envelope.serial}"
    lineage = f", lineage {printable(envelope.lineage)}" if envelope.lineage else ""
    damaged = "" if document.is_whole else ", damaged"
    number = len(document.objects)
    return f"{serial}, {number} object{'s' * (number != 1)}{lineage}{damaged}"


def opened_backup(
    context: RunContext, name: str, data: bytes, *, may_be_damaged: bool = False
) -> tuple[Backup, Seal | None]:
    """Return the state in a backup, or its whole parts if it may be damaged.

    Raises StoreError if it is damaged and must not be or has no whole part, and the errors of damaged_file().
    """
    where = display_name(name)
    found, seal = _unsealed(context, name, salvage(data))
    if not found.documents:
        raise StoreError(f"{where}: this backup is not a state, and has no part of one")
    if len(found.documents) > 1:
        raise StoreError(f"{where}: this backup is damaged itself: it has parts of {len(found.documents)} states")
    if not found.is_whole and not may_be_damaged:
        raise StoreError(f"{where}: this backup is damaged itself; name it to use what is whole in it")
    document = found.documents[0]
    _refuse_version(where, document)
    return Backup(where, document if found.is_whole else replace(document, is_whole=False)), seal


def _unsealed(context: RunContext, name: str, found: Salvage) -> tuple[Salvage, Seal | None]:
    """Decrypt an encrypted state in the file."""
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


class KnownBackup(Struct, frozen=True):
    """A backup of a state: a file at `name`, or the content before an edit in its history.

    `checksum` is the SHA-256 of a content of the history, "" for a file.
    """

    name: str
    checksum: str = ""


def known_backups(context: RunContext, name: str) -> tuple[KnownBackup, ...]:
    """Return the backups beside a state, and the contents of its history without a file.

    Each content is returned once. Names are those that `locations.current_state` returns. The state itself may be
    damaged or missing.
    """
    if name == STANDARD_INPUT or name.startswith(GIT) or isinstance(name, VersionName):
        return ()
    path = None if isinstance(name, RemoteName) else Path(name)
    files = [] if path is None else backups(path)
    try:
        entries = history_at(context, name).load().entries
    except StoreError as error:
        context.note(error.on_command_line)
        entries = ()
    kept: dict[str, KnownBackup] = {}
    for entry in entries:
        backup = None if path is None else own_backup(path, entry.backup)
        if backup is None or not os.path.isfile(backup):  # noqa: PTH113 - Path.is_file raises without permission
            kept.setdefault(entry.before, KnownBackup(f"{name} before edit {entry.number}", entry.before))
    return (*(KnownBackup(str(file)) for file in files), *kept.values())


def backup_content(context: RunContext, name: str, backup: KnownBackup) -> bytes:
    """Return the bytes of a known backup of a state. Raises StoreError."""
    return history_at(context, name).content(backup.checksum) if backup.checksum else context.read(backup.name)
