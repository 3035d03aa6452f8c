"""Prints comparisons of two states: as text, Markdown, JSON, and blocks of a configuration."""
