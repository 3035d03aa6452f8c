"""Runs the rules over a plan, and what those rules share."""
