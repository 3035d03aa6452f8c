"""Checks of a configuration, other than those of its providers."""
