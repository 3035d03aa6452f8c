"""Renders the statistics of a state."""
