"""The rules CFG001 and following."""
