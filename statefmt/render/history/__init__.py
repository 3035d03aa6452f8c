"""Renders the history of a state."""
