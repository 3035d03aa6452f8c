"""The rules CHK001 and following."""
