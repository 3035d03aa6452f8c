"""Encryption configurations as values, independent of syntax."""
