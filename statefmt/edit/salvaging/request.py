"""The request to salvage a damaged state, as users make it: with the names of the file and of its backups."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from statefmt.context import RunContext
from statefmt.edit.copies import FileCopy, OutputCopy, refuse_existing
from statefmt.edit.salvaging._backups import fitting_backups, is_one_file, named_backups
from statefmt.edit.salvaging.import_blocks import importable
from statefmt.edit.salvaging.known_backups import KnownBackup, known_backups
from statefmt.edit.salvaging.result import Compared, Salvaged, Unused
from statefmt.edit.salvaging.source import ConflictSide, damaged_file, read_anything, restoring
from statefmt.edit.session import state_name
from statefmt.formats.reading import inspect
from statefmt.formats.reading.damaged import description, may_be_torn
from statefmt.formats.salvage.fill import Backup, Filled, filled, salvaged_envelope, salvaged_state
from statefmt.formats.salvage.model import SalvagedDocument, SalvagedEnvelope
from statefmt.model.errors import StoreError
from statefmt.model.findings import NO_STATE, Finding, Severity
from statefmt.store.reading import STANDARD_INPUT, display_name

_NO_PART: Final = "no part of a state was found in this file;"
# Reading them takes time, and a history may have hundreds.
_MOST_COMPARED: Final = 10


def salvage_state(
    context: RunContext,
    name: str,
    *,
    backups: Sequence[str] = (),
    use_known: bool = False,
    include_uncertain: bool = False,
    side: ConflictSide | None = None,
    document: int | None = None,
    out: str | None = None,
    overwrite: bool = False,
) -> Salvaged:
    """Take what is whole from a state that is no longer JSON, and fill what is torn from backups.

    Args:
        context: Opens encrypted states and backups with its encryption configuration.
        name: The damaged state: a path, `-`, a URL, or `git:REVISION:PATH`.
        backups: Backups of it: the same, or folders and globs, of which only fitting backups are used. One that is
            named itself may be damaged; of another lineage, or of none, it raises StoreError.
        use_known: Also use the backups beside the state and the contents of its history, as far as they fit.
        include_uncertain: Take objects that only backups have, although they may have been destroyed since, and others
            that are whole but uncertain.
        side: The side of the conflict to take if the file has git's conflict markers.
        document: The number of the state to take, from 1, if the file has several.
        out: Where the result will be written: it is composed now, and read again. A place that write_salvaged()
            refuses is refused before anything is read.
        overwrite: `out` may be replaced if it exists.

    Takes format version 4 only. Raises StoreError if nothing was found, EncryptionError if it cannot be decrypted.
    """
    name = state_name(context, name, to_read=True)
    if out is not None:
        _refuse_destination(out, [name], overwrite=overwrite)
    where, known = display_name(name), known_backups(context, name)
    data = read_anything(context, name)
    file = damaged_file(context, name, data, side, document)
    if file is None:
        listed = "".join([f"\n  {one.name}" for one in known])
        # A restore replaces nothing but states, and what may be the rest of one.
        away = "" if may_be_torn(data) else "move it away; then "
        what = description(data)
        said = f"{what[0].lower()}{what[1:]} No part of a state was found in it;" if what else _NO_PART
        raise StoreError(
            f"{where}: {said} {away}{restoring(name)} puts a backup in its place" + (f":{listed}" if listed else "")
        )
    unused: list[Unused] = []
    lineage = file.document.envelope.lineage
    used = list(named_backups(context, name, backups, lineage, unused))
    named = {os.path.realpath(one.name) for one in used}
    known = tuple(one for one in known if one.checksum or os.path.realpath(one.name) not in named)
    if use_known:
        used += fitting_backups(context, name, known, lineage, unused)
        known = ()
    if out is not None:
        _refuse_destination(out, [one.name for one in used], overwrite=overwrite)
    older = [Backup(f"{where} (an older state in it)", one) for one in file.others]
    found = [*older, *(one.backup for one in used)]
    merged = filled(file.document, found, include_uncertain=include_uncertain)
    envelope = salvaged_envelope(file.document.envelope, found, merged)
    has_any = bool(merged.taken or envelope.outputs or file.document.is_whole)
    is_whole = file.found.is_whole and not file.slips
    content, errors = _content(file.document, envelope, merged) if has_any and out is not None else (b"", ())
    seals = [file.seal, *(one.seal for one in used)]
    return Salvaged(
        name=where,
        found=file.found,
        document=file.document,
        filled=merged,
        envelope=envelope,
        is_empty=not has_any,
        content=content,
        backups=tuple(found),
        unused=tuple(unused),
        known=known,
        compared=() if is_whole else tuple(_compared(context, name, file.document, known)),
        slips=file.slips,
        importable=importable(merged, (one for backup in found for one in backup.document.objects)),
        findings=tuple(one for one in errors if one.severity is Severity.ERROR),
        inputs=(name, *(one.name for one in used)),
        side=file.side,
        seal=next((seal for seal in seals if seal is not None), None),
    )


def _compared(
    context: RunContext, name: str, document: SalvagedDocument, known: Sequence[KnownBackup]
) -> Iterator[Compared]:
    """Compare the first known backups with what the file has for certain."""
    here = {one.key for one in document.certain}
    for backup in known[:_MOST_COMPARED]:
        unused: list[Unused] = []
        opened = next(fitting_backups(context, name, [backup], document.envelope.lineage, unused), None)
        if opened is None:
            yield Compared(backup, reason=unused[0].reason)
        else:
            objects = {one.key for one in opened.backup.document.certain}
            serial = opened.backup.document.envelope.serial
            yield Compared(backup, serial, len(objects), len(objects - here))


def _content(
    document: SalvagedDocument, envelope: SalvagedEnvelope, merged: Filled
) -> tuple[bytes, tuple[Finding, ...]]:
    """Return the bytes of the result, and what reading it finds."""
    content = salvaged_state(document, envelope, merged.taken)
    findings = inspect(content).findings
    if document.raw and any(one.code in NO_STATE for one in findings):
        # Without a valid version, its own bytes are not a state, but its objects are whole.
        content = salvaged_state(replace(document, raw=b""), envelope, merged.taken)
        findings = inspect(content).findings
    return content, findings


def write_salvaged(
    context: RunContext,
    salvaged: Salvaged,
    out: str,
    *,
    message: str = "",
    overwrite: bool = False,
    written: Callable[[str | None], None] = lambda _: None,
) -> None:
    """Write what was salvaged to a file, or to the output of the context for `-`; encrypted if any input is.

    `message` is for the history of a file that is replaced. `written` is called right after the write, with the place
    of the backup of that file, if any. Raises StoreError if `out` is the damaged state or a backup under any name, or
    exists unless `overwrite`; and if nothing was found.
    """
    if salvaged.is_empty:
        raise StoreError(f"{salvaged.name}: no part of a state was found in this file; nothing was written")
    _refuse_destination(out, salvaged.inputs, overwrite=overwrite)
    content = salvaged.content or _content(salvaged.document, salvaged.envelope, salvaged.filled)[0]
    content = content if salvaged.seal is None else salvaged.seal.sealed(content)
    copy = OutputCopy(context) if out == STANDARD_INPUT else FileCopy(context, out, message, overwrite)
    copy.write(content, written)


def _refuse_destination(out: str, inputs: Sequence[str], *, overwrite: bool) -> None:
    """Raise StoreError if `out` is one of the inputs under any name, or exists and must not be overwritten."""
    if out == STANDARD_INPUT:
        return
    for name in inputs:
        if is_one_file(name, out):
            as_what = "" if out == name else f", here as {display_name(name)}"
            raise StoreError(f"{out}: salvage reads this file{as_what}, so it does not write it; name another file")
    refuse_existing(out, replace=overwrite)
