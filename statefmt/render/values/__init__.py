"""Renders single values and types."""
