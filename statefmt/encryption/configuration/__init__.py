"""Encryption configurations as values, which know no syntax."""
