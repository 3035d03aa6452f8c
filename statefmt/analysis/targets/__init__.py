"""Decides whether the target of an edit exists: a provider, a provider instance or an address.

Each function describes the first target that does not exist, with the nearest names.
"""
