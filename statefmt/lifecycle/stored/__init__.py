"""Decodes the stored attributes of objects, and moves them between versions of their schema."""

from __future__ import annotations

from statefmt.lifecycle.stored._decode_state import decode_state as decode_state
from statefmt.lifecycle.stored._strip_removed import strip_removed as strip_removed
from statefmt.lifecycle.stored._upgrade_state import (
    StateUpgradeError as StateUpgradeError,
    UpgradeDiagnostic as UpgradeDiagnostic,
    UpgradeRequest as UpgradeRequest,
    UpgradeTarget as UpgradeTarget,
    upgrade_state as upgrade_state,
)
