"""The state file formats: parses bytes into a snapshot, and writes a snapshot as bytes."""
