"""Finding and reading the files of a configuration and the values of its variables."""
