"""Finds the states that the sources of an index stand for."""
