"""Renders provider configurations: declared, used and removed."""
