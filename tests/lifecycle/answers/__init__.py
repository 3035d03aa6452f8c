"""Answers recorded cases, one module for each theme."""
