"""Keeps the public objects of the library: states, transactions, values."""
