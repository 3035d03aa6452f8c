"""Which resource depends on which."""
