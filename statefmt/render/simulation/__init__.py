"""Renders the effects of a configuration change on a state."""
