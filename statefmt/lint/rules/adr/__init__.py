"""The rules ADR001 and following."""
