"""Renders output values."""
