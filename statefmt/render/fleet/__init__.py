"""Renders the results of queries over an index of states."""
