"""Tests of statefmt.comparison."""
