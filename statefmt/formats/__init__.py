"""The state file formats: from bytes to a snapshot, and from a snapshot to bytes."""
