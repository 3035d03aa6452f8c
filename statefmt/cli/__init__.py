"""The command line: one file per command; parsing and printing only."""
