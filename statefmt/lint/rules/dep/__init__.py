"""The rules DEP001 and following."""
