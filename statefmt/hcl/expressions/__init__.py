"""Evaluating expressions."""
