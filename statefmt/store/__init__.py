"""Reads, locks and writes states as bytes, in local files; does not interpret them."""
