"""The rules: a folder for each prefix, a file for each rule. Its docstring is its documentation page."""
