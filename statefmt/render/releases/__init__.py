"""The table of releases."""
