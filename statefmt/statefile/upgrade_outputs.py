"""An output of format version 3: its type is told from its value.

Source: OpenTofu `internal/states/statefile/version3_upgrade.go` (commit 328af77d65).
"""

from __future__ import annotations

from msgspec import Raw

from statefmt.cty.implied import upgrade_output as upgrade_value
from statefmt.golang import loads_exact
from statefmt.statefile.invalid import InvalidDocument
from statefmt.statefile.legacy import OutputV3
from statefmt.statefile.v4 import OutputV4


def upgrade_output(old: OutputV3, pointer: str) -> OutputV4:
    """The output in version 4. Old types could not tell more than string, list and map, and are not used."""
    try:
        value, type_ = upgrade_value(
            loads_exact(bytes(old.value), replace_invalid=True) if isinstance(old.value, Raw) else None
        )
    except ValueError as error:
        raise InvalidDocument(f"{pointer}/value", str(error)) from error
    return OutputV4(value=Raw(value), type=Raw(type_), sensitive=old.sensitive)
