"""Rules about dependencies (DEP)."""
