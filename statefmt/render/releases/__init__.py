"""Renders the table of releases."""
