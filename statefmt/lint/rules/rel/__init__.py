"""The rules REL001 and following."""
