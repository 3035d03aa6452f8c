"""Compares the objects of a state with the schemas of their providers."""
