"""Damaged states: what is whole in a file that is no longer JSON, filled from its backups.

>>> from statefmt import run_context, salvage
>>> with open("samples/v4-regions.tfstate", "rb") as file:
...     torn = file.read()[:3000]
>>> found = salvage.salvage(torn)
>>> [one.is_whole for one in found.documents], len(found.documents[0].certain) > 0
([False], True)

`salvage_state` does the same for a state at a place, with its backups, and `write_salvaged` writes the result to
another file.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.edit.salvaging.import_blocks import Importable
    from statefmt.edit.salvaging.known_backups import KnownBackup, known_backups
    from statefmt.edit.salvaging.request import salvage_state, write_salvaged
    from statefmt.edit.salvaging.result import Salvaged, Unused
    from statefmt.edit.salvaging.source import ConflictSide
    from statefmt.formats.salvage import salvage, sides
    from statefmt.formats.salvage.fill import Backup, Filled, filled, salvaged_envelope, salvaged_state
    from statefmt.formats.salvage.model import (
        Doubt,
        FoundObject,
        Head,
        LostObject,
        Salvage,
        SalvagedDocument,
        SalvagedEnvelope,
        SalvagedKey,
    )

__all__ = [
    "Backup",
    "ConflictSide",
    "Doubt",
    "Filled",
    "FoundObject",
    "Head",
    "Importable",
    "KnownBackup",
    "LostObject",
    "Salvage",
    "Salvaged",
    "SalvagedDocument",
    "SalvagedEnvelope",
    "SalvagedKey",
    "Unused",
    "filled",
    "known_backups",
    "salvage",
    "salvage_state",
    "salvaged_envelope",
    "salvaged_state",
    "sides",
    "write_salvaged",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Backup": "statefmt.formats.salvage.fill",
        "ConflictSide": "statefmt.edit.salvaging.source",
        "Doubt": "statefmt.formats.salvage.model",
        "SalvagedEnvelope": "statefmt.formats.salvage.model",
        "Filled": "statefmt.formats.salvage.fill",
        "FoundObject": "statefmt.formats.salvage.model",
        "Head": "statefmt.formats.salvage.model",
        "Importable": "statefmt.edit.salvaging.import_blocks",
        "KnownBackup": "statefmt.edit.salvaging.known_backups",
        "LostObject": "statefmt.formats.salvage.model",
        "SalvagedKey": "statefmt.formats.salvage.model",
        "Salvage": "statefmt.formats.salvage.model",
        "Salvaged": "statefmt.edit.salvaging.result",
        "SalvagedDocument": "statefmt.formats.salvage.model",
        "Unused": "statefmt.edit.salvaging.result",
        "filled": "statefmt.formats.salvage.fill",
        "known_backups": "statefmt.edit.salvaging.known_backups",
        "salvage": "statefmt.formats.salvage",
        "salvage_state": "statefmt.edit.salvaging.request",
        "salvaged_envelope": "statefmt.formats.salvage.fill",
        "salvaged_state": "statefmt.formats.salvage.fill",
        "sides": "statefmt.formats.salvage",
        "write_salvaged": "statefmt.edit.salvaging.request",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
