"""Finds secrets in attributes and outputs."""
