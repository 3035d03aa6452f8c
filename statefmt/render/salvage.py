"""Prints the objects salvaged from a damaged state, and the losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Final

from statefmt.edit.salvage_sources import KnownBackup
from statefmt.edit.salvaging import Compared, Salvaged
from statefmt.formats.salvage.model import Doubt, FoundObject, LostObject
from statefmt.redaction.partial import HIDDEN
from statefmt.render.diff.blocks import import_text
from statefmt.render.findings import findings_text
from statefmt.render.json_output import document
from statefmt.render.terminal import UNLIMITED, Terminal, counted
from statefmt.text import printable

# The maximum length of each list, enough to show its kinds of objects.
_MOST: Final = 10


def salvage_text(
    salvaged: Salvaged, terminal: Terminal, *, show_sensitive: bool = False, everything: bool = False
) -> str:
    """Return the report: counts, then a list of each kind; `everything` includes more than the first lines."""
    most = UNLIMITED if everything else _MOST
    parts = [_head(salvaged), _taken(salvaged, terminal, most), _uncertain(salvaged, terminal, most)]
    parts += [_missing(salvaged, terminal, most), _backups(salvaged, most), _errors(salvaged, terminal)]
    parts += [_imports(salvaged, terminal, most, show_sensitive=show_sensitive)]
    return "\n".join(line for part in parts for line in part)


def _head(salvaged: Salvaged) -> Iterator[str]:
    found, envelope = salvaged.found, salvaged.document.envelope
    name = printable(salvaged.name)
    side = f", side {salvaged.side!r}" if salvaged.side else ""
    serial = "serial unknown" if envelope.serial is None else f"serial {envelope.serial}"
    yield f"{name}{side}: {_verdict(salvaged)} ({serial}, {counted(found.size, 'byte')})"
    yield from _slips(salvaged)
    if found.undone:
        yield f"  converted: {printable(', '.join(found.undone))}"
    yield from (f"  {line}" for one in found.advice for line in wrap(one, 100))
    if len(found.documents) > 1:
        lines = found.lines([salvaged.document.start])
        yield f"  {len(found.documents):,} states in the file; the one from line {lines[salvaged.document.start]:,} is"
        yield "  salvaged; --document N takes another one"
    lines = found.lines(found.breaks)
    places = [f"line {lines[one]:,} (byte {one:,})" for one in found.breaks[:_MOST]]
    more = len(found.breaks) - len(places)
    if places:
        yield f"  not JSON from {', '.join(places)}{f' and {more:,} more places' if more else ''}"
    if found.lacks_end:
        place = found.breaks[-1] if found.breaks else found.size
        yield f"  The end of the file is missing from byte {place:,} on: what followed is unknown, and may"
        yield "  be any number of objects. Compare the result with a backup or with a plan."
    elif places:
        yield "  What was there is unknown: more may be lost than is listed here."
    if salvaged.document.is_torn:
        yield "  Parts of two versions may meet in this file. A seam where they fit does not show, and an object"
        yield "  across it would look whole: compare what was salvaged with a backup, or with a plan."
    if salvaged.is_empty:
        return
    if not salvaged.envelope.lineage:
        yield "  The lineage is unknown, and the result has none: --from BACKUP takes it from a backup, and"
        yield "  `statetool new-lineage` gives the result a new one, for a backend that has no state yet."
    if envelope.serial is None and not salvaged.backups:
        serial = f"serial {salvaged.envelope.serial}"
        yield f"  The result has {serial}, and a stored state may have a higher one; see `statetool set-serial`."


def _verdict(salvaged: Salvaged) -> str:
    if salvaged.is_whole:
        return "this state is whole"
    if salvaged.slips:
        return "this state is not JSON, because of a slip"
    if salvaged.document.is_whole:
        return "this file has a complete state, and other text that may be part of another one"
    if salvaged.found.lacks_end:
        return "this state is truncated"
    return "this state is damaged"


def _slips(salvaged: Salvaged) -> Iterator[str]:
    for slip in salvaged.slips:
        yield f"  {slip.what} at {slip.line}:{slip.column} (line {slip.line:,}, column {slip.column:,})"
    number = len(salvaged.document.objects)
    if salvaged.slips:
        every = {0: "the state has no objects", 1: "its only object is complete"}
        yield f"  With {'that' if len(salvaged.slips) == 1 else 'these'} mended, the file is JSON, and " + every.get(
            number, f"all {number:,} objects are whole"
        )


def _taken(salvaged: Salvaged, terminal: Terminal, most: int) -> Iterator[str]:
    outputs = len(salvaged.envelope.outputs)
    filled = salvaged.filled.taken
    whole = [counted(len(filled), "object"), *([counted(outputs, "output")] if outputs else [])]
    yield terminal.paint(f"Salvaged: {' and '.join(whole)}", "bold")
    for source, number in Counter(one.source for one in filled).items():
        yield f"  {counted(number, 'object')} from {printable(source or salvaged.name)}"
        if source:
            yield from _listed([f"    {_key(one)}" for one in filled if one.source == source], most, "    ")


def _uncertain(salvaged: Salvaged, terminal: Terminal, most: int) -> Iterator[str]:
    left, outputs = salvaged.filled.uncertain, salvaged.filled.uncertain_outputs
    if left or outputs:
        parts = [counted(len(left), "object")] * bool(left) + [counted(len(outputs), "output")] * bool(outputs)
        yield terminal.paint(f"Uncertain and left out: {' and '.join(parts)}", "bold")
    lines = salvaged.found.lines(one.offset for one in left if not one.source)
    doubts: dict[Doubt, list[str]] = {}
    for one in left:
        assert one.doubt is not None
        where = printable(one.source) if one.source else f"line {lines[one.offset]:,}, byte {one.offset:,}"
        doubts.setdefault(one.doubt, []).append(f"    {_key(one)} ({where})")
    for doubt, texts in doubts.items():
        yield f"  {counted(len(texts), 'object')}: {doubt.value}"
        yield from _listed(texts, most, "    ")
    if outputs:
        yield f"  {counted(len(outputs), 'output')}: only a backup has it"
        yield from _listed([f"    {printable(name)}" for name in outputs], most, "    ")
    if Doubt.ONLY_IN_BACKUP in doubts or outputs:
        yield "  --include-uncertain takes those of backups; a plan then shows which were destroyed"


def _missing(salvaged: Salvaged, terminal: Terminal, most: int) -> Iterator[str]:
    missing, outputs = salvaged.filled.missing, _missing_outputs(salvaged)
    if missing:
        title = "Cut off" if salvaged.found.lacks_end else "Lost"
        yield terminal.paint(f"{title}: {counted(len(missing), 'object')}", "bold")
        lines = salvaged.found.lines(one.offset for one in missing)
        texts = [f"  {printable(str(one.key))} (line {lines[one.offset]:,}, byte {one.offset:,})" for one in missing]
        yield from _listed(texts, most, "  ")
    if outputs:
        yield terminal.paint(f"Lost: {counted(len(outputs), 'output')}", "bold")
        yield from _listed([f"  {printable(name)}" for name in outputs], most, "  ")
    members = salvaged.document.lost_members
    if members:
        yield terminal.paint(f"Lost: {counted(len(members), 'other member')} of the state", "bold")
        yield from _listed([f"  {printable(name)}" for name in members], most, "  ")


def _missing_outputs(salvaged: Salvaged) -> list[str]:
    taken = {name for name, _ in salvaged.envelope.outputs}
    return [name for name in salvaged.document.lost_outputs if name not in taken]


def _backups(salvaged: Salvaged, most: int) -> Iterator[str]:
    for one in salvaged.backups:
        if not one.document.is_whole and not one.name.startswith(f"{salvaged.name} ("):
            number = counted(len(one.document.certain), "whole object")
            yield f"{printable(one.name)}: this backup is damaged, too; only its {number} can be used"
    if salvaged.unused:
        yield f"Not used: {counted(len(salvaged.unused), 'backup')}"
        yield from _listed([f"  {printable(one.name)}: {printable(one.reason)}" for one in salvaged.unused], most, "  ")
    if salvaged.known and not salvaged.is_whole:
        number = counted(len(salvaged.known), "backup")
        yield f"Known, but not used: {number}; name them with --from, or use all with --from-backups"
        compared = {one.backup: one for one in salvaged.compared}
        yield from _listed([f"  {_backup(one)}{_difference(compared.get(one))}" for one in salvaged.known], most, "  ")


def _backup(backup: KnownBackup) -> str:
    return printable(backup.name) + (" (in the history)" if backup.checksum else "")


def _difference(compared: Compared | None) -> str:
    if compared is None:
        return ""
    if compared.reason:
        return f": cannot be used: {printable(compared.reason)}"
    serial = "serial unknown" if compared.serial is None else f"serial {compared.serial}"
    absent = f", {compared.absent:,} of them not in this file" if compared.absent else ", all of them in this file, too"
    return f": {serial}, {counted(compared.objects, 'object')}{absent if compared.objects else ''}"


def _errors(salvaged: Salvaged, terminal: Terminal) -> Iterator[str]:
    if salvaged.findings:
        yield f"The result has {counted(len(salvaged.findings), 'error')}, which `statetool repair` may mend:"
        yield findings_text(salvaged.findings[:_MOST], terminal)


def _imports(salvaged: Salvaged, terminal: Terminal, most: int, *, show_sensitive: bool) -> Iterator[str]:
    shown = [one for one in salvaged.importable if show_sensitive or not one.is_sensitive]
    hidden = len(salvaged.importable) - len(shown)
    if salvaged.importable:
        yield ""
        yield terminal.paint("# To import what is missing and still exists:", "bold")
    for one in shown[:most]:
        yield import_text(one.address, one.id)
    if len(shown) > most:
        yield f"# … and {len(shown) - most:,} more; --verbose prints all of them"
    if hidden:
        yield f"# {counted(hidden, 'object')} with a sensitive id left out; --show-sensitive prints them"


def _key(one: FoundObject) -> str:
    return "an object of an unknown resource" if one.key is None else printable(str(one.key))


def _listed(lines: list[str], most: int, indent: str) -> Iterable[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"{indent}… and {len(lines) - most:,} more; --verbose lists all of them"


def salvage_json(salvaged: Salvaged, out: str | None, *, show_sensitive: bool = False) -> bytes:
    """Render the report (schema: `salvage-output.schema.json`); `out` is the written file, None without one."""
    found, envelope, filled = salvaged.found, salvaged.document.envelope, salvaged.filled
    objects: list[FoundObject | LostObject] = [*filled.taken, *filled.uncertain, *filled.missing]
    here = (one.offset for one in objects if isinstance(one, LostObject) or not one.source)
    lines = found.lines([*here, *found.breaks])
    taken = [name for name, _ in salvaged.envelope.outputs]
    return document(
        path=salvaged.name,
        is_whole=salvaged.is_whole,
        is_torn=salvaged.document.is_torn,
        lacks_end=found.lacks_end,
        slips=[
            {"message": one.what, "offset": one.offset, "line": one.line, "column": one.column}
            for one in salvaged.slips
        ],
        size=found.size,
        side=salvaged.side,
        converted=list(found.undone),
        advice=list(found.advice),
        breaks=[{"offset": one, "line": lines[one]} for one in found.breaks],
        serial=envelope.serial,
        lineage=envelope.lineage,
        objects=[_object(one, lines) for one in filled.taken],
        uncertain=[
            _object(one, lines) | {"reason": one.doubt.name.lower(), "message": one.doubt.value}
            for one in filled.uncertain
            if one.doubt is not None
        ],
        missing=[_object(one, lines) for one in filled.missing],
        outputs=taken,
        uncertain_outputs=list(filled.uncertain_outputs),
        missing_outputs=[name for name in salvaged.document.lost_outputs if name not in taken],
        missing_members=list(salvaged.document.lost_members),
        imports=[
            {
                "address": one.address,
                "id": one.id if show_sensitive or not one.is_sensitive else HIDDEN,
                "sensitive": one.is_sensitive,
            }
            for one in salvaged.importable
        ],
        backups=[
            {
                "path": one.name,
                "is_whole": one.document.is_whole,
                "serial": one.document.envelope.serial,
                "objects": len(one.document.certain),
            }
            for one in salvaged.backups
        ],
        unused_backups=[{"path": one.name, "message": one.reason} for one in salvaged.unused],
        known_backups=[_known(salvaged, one) for one in salvaged.known],
        result=None
        if out is None
        else {
            "path": out,
            "serial": salvaged.envelope.serial,
            "encrypted": salvaged.is_encrypted,
            "errors": [{"code": one.code, "address": one.address, "message": one.detail} for one in salvaged.findings],
        },
    )


def _known(salvaged: Salvaged, backup: KnownBackup) -> dict[str, object]:
    compared = next((one for one in salvaged.compared if one.backup == backup), None)
    known: dict[str, object] = {"path": backup.name, "is_file": not backup.checksum}
    if compared is not None and not compared.reason:
        known |= {"serial": compared.serial, "objects": compared.objects, "absent": compared.absent}
    elif compared is not None:
        known["message"] = compared.reason
    return known


def _object(one: FoundObject | LostObject, lines: dict[int, int]) -> dict[str, object]:
    source = one.source if isinstance(one, FoundObject) else ""
    key = one.key
    return {
        "address": None if key is None else f"{key.resource}{key.key}",
        "deposed_key": (key.deposed or None) if key is not None else None,
        "source": source or None,
        "offset": one.offset,
        "line": None if source else lines[one.offset],
    }
