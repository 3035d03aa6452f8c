"""Finds and reads the files of a configuration and the values of its variables."""
