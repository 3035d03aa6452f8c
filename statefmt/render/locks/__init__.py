"""Renders who holds the locks of states."""
