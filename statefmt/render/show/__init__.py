"""Renders resource instances and outputs in full."""
