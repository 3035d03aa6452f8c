"""The rules PRV001 and following."""
