"""Prints comparisons of states, with one module for each format."""
