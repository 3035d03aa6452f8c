"""Findings, in one file for each format."""
