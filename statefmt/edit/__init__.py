"""Edits states, from lock to commit."""
