"""Computes the proposed, planned and saved values of a resource instance. Pure functions."""
