"""The rules SEC001 and following."""
