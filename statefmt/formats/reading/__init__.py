"""Reads bytes into a snapshot and reports findings."""
