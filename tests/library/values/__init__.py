"""Attributes and outputs as Python values: exact, and with what is sensitive masked."""
