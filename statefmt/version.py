"""Defines the version of this distribution."""

# Follows semantic versioning.
__version__ = "0.1.0"
