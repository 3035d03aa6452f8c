"""Tests of indexes of many states."""
