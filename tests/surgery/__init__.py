"""Tests of statefmt.surgery."""
