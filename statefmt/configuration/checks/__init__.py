"""What is wrong with a configuration, apart from its providers."""
