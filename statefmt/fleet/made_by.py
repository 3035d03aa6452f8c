"""Identifies the release and the options that rows depend on beside their state."""

from __future__ import annotations

from hashlib import sha256

from statefmt.model.findings import Code
from statefmt.version import __version__


def made_by(*, checks: bool, attributes: bool) -> str:
    """Return the release, a hash of its rules if they are run, and `attributes` if these are stored."""
    rules = sha256(" ".join(sorted(Code)).encode()).hexdigest()[:8] if checks else "no rules"
    return f"statetool {__version__}, {rules}" + (", attributes" if attributes else "")
