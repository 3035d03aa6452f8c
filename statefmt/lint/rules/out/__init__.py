"""The rules OUT001 and following."""
