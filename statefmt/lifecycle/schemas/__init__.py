"""Reads the schemas of providers, as `providers schema -json` prints them, and applies them to values."""
