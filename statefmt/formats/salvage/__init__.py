"""Finds what is whole in a state file that is no longer JSON."""
