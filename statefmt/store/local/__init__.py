"""States in local files: lock, journal, in-place write, history."""
