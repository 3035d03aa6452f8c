"""Prints findings, with one module for each format."""
