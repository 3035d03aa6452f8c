"""Prints plans with the provider instance of each change, with one module for each format."""
