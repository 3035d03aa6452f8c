"""The dependency graph of a snapshot."""
