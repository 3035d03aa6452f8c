"""Renders where states are."""
