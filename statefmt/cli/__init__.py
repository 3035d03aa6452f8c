"""The command line: parses arguments, runs commands and prints results."""
