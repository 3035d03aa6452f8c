"""Renders what was salvaged as JSON."""

from __future__ import annotations

from statefmt.edit.salvaging.known_backups import KnownBackup
from statefmt.edit.salvaging.result import Salvaged
from statefmt.formats.salvage.model import FoundObject, LostObject
from statefmt.redaction.partial import HIDDEN
from statefmt.render.json_output import document


def salvage_json(salvaged: Salvaged, out: str | None, *, show_sensitive: bool = False) -> bytes:
    """Render the report (schema: `salvage-output.schema.json`); `out` is the file that was written, None if none."""
    found, envelope, filled = salvaged.found, salvaged.document.envelope, salvaged.filled
    objects: list[FoundObject | LostObject] = [*filled.taken, *filled.uncertain, *filled.missing]
    here = (one.offset for one in objects if isinstance(one, LostObject) or not one.source)
    lines = found.lines([*here, *found.breaks])
    taken = [name for name, _ in salvaged.envelope.outputs]
    return document(
        {
            "path": salvaged.name,
            "is_whole": salvaged.is_whole,
            "is_torn": salvaged.document.is_torn,
            "lacks_end": found.lacks_end,
            "slips": [
                {"message": one.what, "offset": one.offset, "line": one.line, "column": one.column}
                for one in salvaged.slips
            ],
            "size": found.size,
            "side": salvaged.side,
            "converted": list(found.undone),
            "advice": list(found.advice),
            "breaks": [{"offset": one, "line": lines[one]} for one in found.breaks],
            "serial": envelope.serial,
            "lineage": envelope.lineage,
            "objects": [_object(one, lines) for one in filled.taken],
            "uncertain": [
                _object(one, lines) | {"reason": one.doubt.name.lower(), "message": one.doubt.value}
                for one in filled.uncertain
                if one.doubt is not None
            ],
            "missing": [_object(one, lines) for one in filled.missing],
            "outputs": taken,
            "uncertain_outputs": list(filled.uncertain_outputs),
            "missing_outputs": [name for name in salvaged.document.lost_outputs if name not in taken],
            "missing_members": list(salvaged.document.lost_members),
            "imports": [
                {
                    "address": one.address,
                    "id": one.id if show_sensitive or not one.is_sensitive else HIDDEN,
                    "sensitive": one.is_sensitive,
                }
                for one in salvaged.importable
            ],
            "backups": [
                {
                    "path": one.name,
                    "is_whole": one.document.is_whole,
                    "serial": one.document.envelope.serial,
                    "objects": len(one.document.certain),
                }
                for one in salvaged.backups
            ],
            "unused_backups": [{"path": one.name, "message": one.reason} for one in salvaged.unused],
            "known_backups": [_known(salvaged, one) for one in salvaged.known],
            "result": None
            if out is None
            else {
                "path": out,
                "serial": salvaged.envelope.serial,
                "encrypted": salvaged.is_encrypted,
                "errors": [
                    {"code": one.code, "address": one.address, "message": one.detail} for one in salvaged.findings
                ],
            },
        }
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
