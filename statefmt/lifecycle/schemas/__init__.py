"""Reads the schemas of providers, as `providers schema -json` prints them, and tells what they say of values."""
