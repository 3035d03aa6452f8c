"""The rules CFS001 and following."""
