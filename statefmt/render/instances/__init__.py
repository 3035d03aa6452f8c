"""Renders lists of resource instances."""
