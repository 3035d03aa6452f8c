"""Analyses of snapshots: selection, comparison, providers, dependencies and statistics."""
