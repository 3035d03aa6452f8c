"""Repairs states that can be parsed but not loaded: what is wrong, the choices, and the bytes after a choice."""
