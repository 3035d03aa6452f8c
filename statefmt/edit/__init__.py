"""Writing states: every edit, from lock to commit."""
