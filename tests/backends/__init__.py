"""Whole commands on states in backends, on real servers: cut off, killed, and many at once."""
