"""Makes the reference of the public library from its source code and docstrings."""
