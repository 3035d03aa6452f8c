"""Renders encryption metadata."""
