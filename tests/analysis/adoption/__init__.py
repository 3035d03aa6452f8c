"""Where the objects of a state belong in a new configuration."""
