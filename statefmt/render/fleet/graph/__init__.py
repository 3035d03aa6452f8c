"""Renders the graph of an index, of states and their references, with a file for each format."""
