"""Builds and matches strings: lazy regular expressions, wildcards and shell quoting."""
