"""Prints the moves found in plans: as `moved` blocks, as an operations file, and as JSON."""
