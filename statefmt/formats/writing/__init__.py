"""Writes a snapshot as bytes: in canonical form, or with the fewest changes to its file."""
