"""The rules STA001 and following."""
