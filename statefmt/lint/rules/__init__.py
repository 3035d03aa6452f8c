"""The rules: a module for each prefix, and in the folder of a prefix a file for each of its longer rules."""
