"""The rules ENC001 and following."""
