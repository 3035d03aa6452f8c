"""Renders dependency graphs, with a file for each format."""
