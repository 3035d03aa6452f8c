"""Prints ways to divide a state: as tables, graphs of their parts, and JSON."""
