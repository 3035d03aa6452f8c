"""Graphs of dependencies, in one file for each format."""
