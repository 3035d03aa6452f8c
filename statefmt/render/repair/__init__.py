"""Renders the defects of a state with their choices."""
