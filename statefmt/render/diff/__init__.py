"""Comparisons, in one file for each format."""
