"""An output of format version 3: its type is told from its value.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

from typing import Final

from msgspec import Raw

from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.legacy import OutputV3
from statefmt.formats.versions.upgrade_report import UpgradeReport
from statefmt.formats.versions.v4 import OutputV4
from statefmt.golang import loads_exact
from statefmt.model.cty.implied import upgrade_output as upgrade_value

# What the type descriptions of version 4 begin with, for values of each type that version 3 could tell.
_MEANINGS: Final = {
    "string": (b'"',),
    "list": (b'["list"', b'["tuple"'),
    "map": (b'["map"', b'["object"'),
}


def upgrade_output(old: OutputV3, name: str, pointer: str, report: UpgradeReport) -> OutputV4:
    """The output in version 4. Old types could not tell more than string, list and map, and are not used."""
    try:
        value, type_ = upgrade_value(
            loads_exact(bytes(old.value), replace_invalid=True) if isinstance(old.value, Raw) else None
        )
    except ValueError as error:
        raise InvalidDocument(f"{pointer}/value", str(error)) from error
    if old.type and not type_.startswith(_MEANINGS.get(old.type, ())) and type_ != b'"dynamic"':
        report.dropped(f"its type {old.type!r}, which its value contradicts", f"output.{name}", f"{pointer}/type")
    return OutputV4(value=Raw(value), type=Raw(type_), sensitive=old.sensitive)
