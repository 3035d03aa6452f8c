"""Tests of statefmt.analysis.diff."""
