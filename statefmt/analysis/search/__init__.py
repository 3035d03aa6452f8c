"""Searches the values of a snapshot for text."""
