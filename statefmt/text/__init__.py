"""Strings for other programs: regular expressions and shell words."""
