"""Holds what changes resource instances against what must hold: plans, results and schemas. Pure functions."""
