"""Reads migrations of tfmigrate, and makes operations files of them.

    migration = read_migration("20201109_mv.hcl", content, environment)
    converted = operations_of(migration, folders, snapshots)

Source: tfmigrate v0.4.5 (`config/migration.go`, `tfmigrate/*_action.go`, `tfmigrate/xmv_expander.go`, README).
"""

from __future__ import annotations

from statefmt.edit.tfmigrate._from_file import (
    ConvertedMigration as ConvertedMigration,
    converted_migration as converted_migration,
)
