"""Parses the arguments of operations: destinations, key maps, assignments and providers."""
