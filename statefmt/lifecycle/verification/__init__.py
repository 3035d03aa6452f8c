"""Verifies an apply: compares a plan with the states before and after it."""
