"""Mutation tests: change the source on purpose, and see whether a test notices."""
