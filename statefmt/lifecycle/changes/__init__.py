"""Tells how a resource instance changes: what is proposed, planned and saved. Pure functions."""
