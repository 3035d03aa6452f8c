"""Renders what a search found, with a file for each format."""
