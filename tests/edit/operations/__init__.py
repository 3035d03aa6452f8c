"""Tests of statefmt.edit.operations."""
