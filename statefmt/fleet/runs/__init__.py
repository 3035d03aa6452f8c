"""Finds the runs that an index records, and compares two of them."""
