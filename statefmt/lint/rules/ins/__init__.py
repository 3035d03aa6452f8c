"""The rules INS001 and following."""
