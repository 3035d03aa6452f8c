"""Damaged states: the whole parts of a file that is no longer JSON, filled from its backups.

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

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.edit.salvage_sources import (
        ConflictSide as ConflictSide,
        KnownBackup as KnownBackup,
        known_backups as known_backups,
    )
    from statefmt.edit.salvaging import (
        Importable as Importable,
        Salvaged as Salvaged,
        Unused as Unused,
        salvage_state as salvage_state,
        write_salvaged as write_salvaged,
    )
    from statefmt.formats.salvage import salvage as salvage, sides as sides
    from statefmt.formats.salvage.model import (
        Doubt as Doubt,
        FoundObject as FoundObject,
        Head as Head,
        LostObject as LostObject,
        Salvage as Salvage,
        SalvagedDocument as SalvagedDocument,
        SalvagedEnvelope as SalvagedEnvelope,
        SalvagedKey as SalvagedKey,
    )
