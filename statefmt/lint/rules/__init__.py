"""The rules: one folder per prefix, one file per rule. The docstring of a file is the rule's documentation page."""
