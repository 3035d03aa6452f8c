"""Defines the format versions, and the upgrade from each to the next."""
